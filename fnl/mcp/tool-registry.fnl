;; mcp.tool-registry: the tools of a program. It checks what it holds, so that
;; one bad definition cannot spoil the whole list for clients, and keeps each
;; tool's wire form once it was asked for: work per change, not per request.

(local json-schema (require :mcp.json-schema))
(local marks (require :mcp.json-marks))
(local options (require :mcp.options))
(local {: quoted} (require :mcp.protocol))
(local {: create-registry} (require :mcp.registry))
(local revisions (require :mcp.revisions))
(local utf8-text (require :mcp.utf8-text))

;; A page that is read in one go, and small beside a message's limit.
(local page-size 100)

;; What the specification and the clients agree on (2025-11-25, Tool Names).
(local max-name-length 128)

(local later {:later "it comes with a later version"})

(local fields {:name true
               :description true
               :handler true
               :title true
               :input-schema true
               :output-schema true
               :annotations true
               :icons true
               :meta true
               :timeout options.positive
               :max-bytes later
               :group later
               :task later})

;; Checking

(fn check-name [name prefix]
  (when (or (not= (type name) :string)
            (not (name:find "^[A-Za-z0-9_.-]+$"))
            (< max-name-length (length name)))
    (error (string.format
             "a tool's name has 1 to %d letters, digits, _ . and -; not %s"
             max-name-length
             (if (= (type name) :string) (quoted name) (tostring name)))
           0))
  (when (not= prefix (name:sub 1 (length prefix)))
    (error (string.format
             "the name of the tool %s must begin with the prefix %s" name
             prefix)
           0)))

(fn check-text [text what]
  (when (not= (type text) :string)
    (error (.. what " must be a string, not a " (type text)) 0))
  (when (not (text:find "%S"))
    (error (.. what " must say something: agents choose by it") 0))
  (when (not (utf8-text.valid? text))
    (error (.. what " is not valid UTF-8") 0)))

(fn title-of [definition]
  "What messages call a definition that was not looked at yet."
  (case definition
    (where {: name} (= (type name) :string)) (.. "the tool " (quoted name))
    _ "a tool"))

(fn prepare [definition prefix]
  "A checked copy of a definition. Raises what is wrong with it."
  (let [tool (options.read (title-of definition) definition fields)
        named (fn [what] (.. "the " what " of the tool " tool.name))]
    (check-name tool.name prefix)
    (check-text tool.description (named "description"))
    (when (not= tool.title nil)
      (check-text tool.title (named "title")))
    (when (not= (type tool.handler) :function)
      (error (.. (named "handler") " must be a function, not a "
                 (type tool.handler))
             0))
    (set tool.input-schema
         (json-schema.prepare tool.input-schema (named "input schema")))
    (when (not= tool.output-schema nil)
      (set tool.output-schema
           (json-schema.prepare tool.output-schema (named "output schema"))))
    (each [field kind (pairs {:annotations :object
                              :icons :array
                              :meta :object})]
      (when (not= nil (. tool field))
        (tset tool field (json-schema.prepare-value (. tool field) kind
                                                    (named field)))))
    (set tool.wire-forms {})
    tool))

;; The wire

(fn wire [tool version]
  "A tool as `tools/list` shows it to a client of this revision."
  (let [has? (fn [feature] (revisions.feature version feature))]
    {:name tool.name
     :description tool.description
     :inputSchema tool.input-schema
     :title (if (has? :title) tool.title)
     :outputSchema (if (has? :output-schema) tool.output-schema)
     :annotations (if (has? :annotations) tool.annotations)
     :icons (if (has? :icons) tool.icons)
     :_meta (if (has? :meta) tool.meta)}))

(fn encoded [tool version encode]
  "The wire form as JSON text, made once. A definition that was checked can be
encoded; if it cannot, that is our bug."
  (when (not (. tool.wire-forms version))
    (tset tool.wire-forms version
          (marks.raw (assert (encode (wire tool version))))))
  (. tool.wire-forms version))

;; Methods

(fn register [self definition]
  "Adds a tool, and returns its name. Fields, in either spelling:

  :name :description    required; agents choose by them
  :handler              required; gets (args ctx), see mcp.call and mcp.result
  :input-schema :output-schema    JSON Schemas with the type \"object\"
  :title :annotations :icons :meta    as on the wire, names included
  :timeout              seconds that a call may take

Raises for a definition that clients could not use, and for a name that is
taken."
  (let [tool (prepare definition self.prefix)]
    (self.registry:add tool.name tool)
    tool.name))

(fn replace [self definition]
  "Puts a tool in the place of the one with its name, and returns the name.
Raises as `register` does, and if there is none. Calls that run go on with what
they began with."
  (let [tool (prepare definition self.prefix)]
    (self.registry:replace tool.name tool)
    tool.name))

(fn unregister [self name]
  "Takes a tool out; false if there is none of this name. Calls that run go on."
  (self.registry:remove name))

(fn on-change [self f]
  "Calls `f` after every change. Returns a function that ends that."
  (self.registry:on-change f))

(fn get [self name]
  "The checked definition of a tool, with kebab-case fields, or nil."
  (self.registry:get name))

(fn count [self]
  "How many tools there are."
  (self.registry:count))

(fn page [self {: cursor : version : encode : size}]
  "One page of the list: the tools in order of registration, encoded for clients
of a revision, and the cursor of the next page (nil on the last). nil and a
message for a bad cursor.

  :cursor   of the page before; nil for the first page
  :version  the revision
  :encode   (encode value) → JSON text, or nil and a message
  :size     tools on a page; 100 unless given"
  (case (self.registry:page cursor (or size page-size))
    (nil message) (values nil message)
    (tools ?next-cursor)
    (values (marks.array (icollect [_ tool (ipairs tools)]
                           (encoded tool version encode)))
            ?next-cursor)))

(local methods {: register
                : replace
                : unregister
                : on-change
                :on_change on-change
                : get
                : count
                : page})

(fn ToolRegistry [?options]
  "A registry of tools. `:namespace-prefix` is what every name must begin with;
none by default."
  (let [{: namespace-prefix} (options.read "ToolRegistry" (or ?options {})
                                           {:namespace-prefix :string})
        self {:registry (create-registry) :prefix (or namespace-prefix "")}]
    (collect [name method (pairs methods) &into self]
      name method)))

{: ToolRegistry : page-size}
