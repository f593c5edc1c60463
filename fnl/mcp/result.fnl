;; mcp.result: what a handler gave back, as the result of `tools/call`: always
;; one that every client can read (2025-11-25, Tools, Tool Result). What goes to
;; the wire is encoded here, so that a value which cannot be is the tool's error
;; and not the end of an answer.

(local marks (require :mcp.json-marks))
(local revisions (require :mcp.revisions))

(fn string? [value]
  (= (type value) :string))

(fn text-block [text]
  {:type :text : text})

(fn failed [message]
  "A result that tells the agent what went wrong, so that it can do better."
  {:content (marks.array [(text-block message)]) :isError true})

(fn unsendable [why]
  (failed (.. "the tool's result cannot be sent: " why)))

;; Content blocks

(fn whole-resource? [resource]
  (and (= (type resource) :table) (string? resource.uri)
       (or (string? resource.text) (string? resource.blob))))

;; The blocks that there are: whether one is whole, and the members of which one
;; shows that a table is meant to be such a block.
(local blocks
       {:text {:whole? #(string? $.text) :members [:text]}
        :image {:whole? #(and (string? $.data) (string? $.mimeType))
                :members [:data :mimeType]}
        :audio {:whole? #(and (string? $.data) (string? $.mimeType))
                :members [:data :mimeType]}
        :resource {:whole? #(whole-resource? $.resource) :members [:resource]}
        :resource_link {:whole? #(and (string? $.uri) (string? $.name))
                        :members [:uri]}})

(fn block? [value]
  "Whether a table is meant as a content block."
  (let [kind (and (= (type value) :table) (. blocks (or value.type false)))]
    (and kind (accumulate [found false _ member (ipairs kind.members)
                           &until found]
                (not= nil (. value member))))))

(fn whole? [block]
  (and (block? block) ((. blocks block.type :whole?) block)))

;; Blocks that only later revisions know.
(local block-features {:audio :audio :resource_link :resource-link})

(fn for-revision [block version]
  "A block that the client's revision knows; a text about it if it is newer."
  (let [feature (. block-features block.type)]
    (if (or (not feature) (revisions.feature version feature)) block
        (= block.type :resource_link)
        (text-block (.. block.name ": " block.uri))
        (text-block (string.format (.. "(sound, %s, which this client's "
                                       "protocol version cannot take)")
                                   block.mimeType)))))

(fn from-blocks [list version encode]
  (let [broken (accumulate [found nil i block (ipairs list) &until found]
                 (if (not (whole? block)) i))]
    (if broken
        (failed (string.format
                  (.. "the tool's result cannot be sent: content block %d is "
                      "not whole; mcp.text and its like make whole ones")
                  broken))
        (case (encode (marks.array (icollect [_ block (ipairs list)]
                                     (for-revision block version))))
          (nil why) (unsendable (.. "content" (if (why:find "^%[") "" ": ")
                                    why))
          text {:content (marks.raw text)}))))

;; Everything else

(fn from-structure [value version encode]
  "A table as structured content with its text twin. It is encoded once."
  (case (encode value)
    (nil why) (unsendable why)
    text {:content (marks.array [(text-block text)])
          ;; An object, up to this revision (2025-11-25, CallToolResult).
          :structuredContent (if (and (text:find "^{")
                                      (revisions.feature version
                                                         :structured-content))
                                 (marks.raw text))}))

(fn from-scalar [value encode]
  (case (encode value)
    (nil why) (unsendable why)
    text {:content (marks.array [(text-block text)])}))

(fn has-block? [list]
  (accumulate [found false _ item (ipairs list) &until found]
    (block? item)))

(fn from-value [value version encode]
  (if (marks.absent? value) {:content (marks.array)}
      (string? value) {:content (marks.array [(text-block value)])}
      (not= (type value) :table) (from-scalar value encode)
      (block? value) (from-blocks [value] version encode)
      (has-block? value) (from-blocks value version encode)
      (from-structure value version encode)))

;; What went wrong

;; How Lua says where an error was raised. Where a program's files are is its
;; own affair: SECURITY.md.
(local places ["^%[string \".-\"%]:%d+: "
               "^[^%s:]+%.%a+:%d+: "
               "^/[^:\n]+:%d+: "
               "^%.%.%.[^:\n]+:%d+: "
               "^%a:[\\/][^:\n]+:%d+: "])

(fn without-place [text]
  (accumulate [short text _ pattern (ipairs places) &until (not= short text)]
    (pick-values 1 (short:gsub pattern ""))))

(fn error-text [err]
  "What a handler raised, or returned as its message, in words."
  (case (type err)
    :string (without-place err)
    :nil "the tool failed without saying why"
    (where (or :number :boolean)) (tostring err)
    (where :table (string? err.message)) err.message
    (where _ (?. (getmetatable err) :__tostring)) (tostring err)
    other (.. "the tool failed with a " other " for a message")))

(fn guarded [f]
  "What `f` returns; a failure if it raises, as metamethods of what a handler
gave back may."
  (case (pcall f)
    (true result) result
    _ (failed "what the tool gave back cannot be read: that raises an error")))

(fn returned [value ?message version encode]
  "The result of a handler that returned (values value ?message).

  nil             no content; with a message, a tool error
  scalar          one text
  content blocks  one, or a list of them
  other tables    structured content with its text twin

A table counts as a content block if it has a block's type and one of its
members; a list counts as content if one of its items does, and then all must be
whole."
  (guarded #(if (and (= value nil) (not= ?message nil))
                (failed (error-text ?message))
                (from-value value version encode))))

(fn raised [err ?traceback]
  "The result of a handler that raised; with the place and the traceback only if
the program wants agents to see them."
  (guarded #(failed (if ?traceback
                        (.. (if (string? err) err (error-text err)) "\n"
                            ?traceback)
                        (error-text err)))))

{: returned : raised : failed : error-text}
