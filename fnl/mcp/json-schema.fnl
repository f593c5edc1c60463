;; mcp.json-schema: what programs register for the wire, as a checked copy: JSON
;; Schemas, annotations, icons, _meta. An empty Lua table may be `{}` or `[]`;
;; in a schema its place says which. One value that JSON has not, or a shape
;; that clients cannot read, would spoil a whole list for them: it is an error
;; at registration, with its path.

(local marks (require :mcp.json-marks))
(local utf8-text (require :mcp.utf8-text))

;; Deeper ones would not fit into a message (the encoder's limit is 127).
(local max-depth 100)

;; What stands at a keyword (2020-12, every vocabulary, and what older drafts
;; had): a schema, a list of them, schemas by name; a list of any values, lists
;; or values by name. Elsewhere stands any value.
(local places
       {:properties :schemas-by-name
        :patternProperties :schemas-by-name
        :$defs :schemas-by-name
        :definitions :schemas-by-name
        :dependentSchemas :schemas-by-name
        :dependentRequired :lists-by-name
        :allOf :schemas
        :anyOf :schemas
        :oneOf :schemas
        :prefixItems :schemas
        :items :schema
        :additionalItems :schema
        :unevaluatedItems :schema
        :contains :schema
        :additionalProperties :schema
        :unevaluatedProperties :schema
        :propertyNames :schema
        :contentSchema :schema
        :not :schema
        :if :schema
        :then :schema
        :else :schema
        :required :list
        :enum :list
        :examples :list})

(local inside {:schemas-by-name :schema
               :schemas :schema
               :lists-by-name :list
               :values-by-name :value
               :list :value
               :value :value})

;; What a table at a place is, and what else may stand there. Any value may be
;; either.
(local kinds {:schema :object
              :schemas-by-name :object
              :lists-by-name :object
              :values-by-name :object
              :schemas :array
              :list :array})

(fn refuse [path why]
  (error (.. path " " why) 0))

(fn place-of [place key value]
  "The place inside of another."
  (let [table? (= (type value) :table)]
    (if (not= place :schema) (. inside place)
        ;; Draft 7 had a list of schemas here.
        (and (= key :items) table? (not= nil (. value 1))) :schemas
        (and (= key :type) table?) :list
        (or (. places key) :value))))

(fn kind-of [value place path]
  "Whether a table is an :array or an :object: its mark says so, or its keys, or
if it is empty its place."
  (let [(numbers strings) (accumulate [(n s) (values 0 0) key (pairs value)]
                            (case (type key)
                              :number (values (+ n 1) s)
                              :string (values n (+ s 1))
                              _ (refuse path
                                        (.. "has a key that is a "
                                            (type key)))))
        kind (or (marks.kind-of value)
                 (if (< 0 numbers) :array
                     (< 0 strings) :object
                     (. kinds place)))]
    (when (or (and (= kind :array)
                   (or (< 0 strings) (not= numbers (length value))))
              (and (= kind :object) (< 0 numbers)))
      (refuse path "is neither a list (keys 1 to n) nor has it only names"))
    kind))

(fn check-place [value kind place path]
  "Raises if something stands where it makes no sense."
  (let [wanted (. kinds place)]
    (when (and wanted (not= wanted kind)
               (not (and (= place :schema) (= (type value) :boolean))))
      (refuse path
              (case wanted
                :array "must be a list"
                :object "must be a table with names")))))

(fn check-scalar [value path]
  (case (type value)
    :string (when (not (utf8-text.valid? value))
              (refuse path "is not valid UTF-8"))
    :number (when (or (not= value value) (= (math.abs value) math.huge))
              (refuse path (.. "is " (tostring value)
                               ", which JSON has no word for")))
    :boolean nil
    other (when (not (marks.large-integer? value))
            (refuse path (.. "is a " other ", which cannot be JSON")))))

(fn step [path key]
  "The path one level down: `.name`, or `[1]`."
  (if (= (type key) :number)
      (string.format "%s[%d]" path key)
      (.. path "." key)))

(fn copy [value place depth path]
  "A deep copy of what stands at a place, every empty table marked."
  (if (< max-depth depth)
      (refuse path "is nested too deep, or holds itself")
      (marks.null? value)
      (do (check-place value :null place path) value)
      (not= (type value) :table)
      (do (check-scalar value path)
          (check-place value nil place path)
          value)
      (= (marks.kind-of value) :raw)
      (refuse path "is raw JSON, which cannot be checked here")
      (let [kind (kind-of value place path)
            out {}]
        (check-place value kind place path)
        (each [key member (pairs value)]
          (let [down (step path key)]
            (check-scalar key down)
            (tset out key
                  (copy member (place-of place key member) (+ depth 1) down))))
        (case kind
          :array (marks.array out)
          (where _ (or (= kind :object) (= nil (next out)))) (marks.object out)
          _ out))))

(fn prepare [?schema what]
  "A checked copy of a schema whose root is an object (2025-11-25, Tools: its
`inputSchema`), ready to be encoded; the given table is left alone. nil is the
schema of any object. Raises, naming `what` and the path, if it is no such
schema."
  (case ?schema
    nil {:type :object}
    (where t (not= (type t) :table))
    (refuse what (.. "must be a table, not a " (type t)))
    {:type :object} (copy ?schema :schema 0 what)
    {:type ?other}
    (refuse what (.. "must have the type \"object\", since arguments have "
                     "names, not " (tostring ?other)))))

(fn prepare-value [value kind what]
  "A checked copy of another table that goes to the wire as it is. `kind` is
:object or :array. Raises, naming `what` and the path."
  (copy value (case kind :object :values-by-name :array :list) 0 what))

{: prepare : prepare-value}
