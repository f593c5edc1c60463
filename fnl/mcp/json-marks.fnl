;; mcp.json-marks: what a Lua table is in JSON, where Lua cannot tell. A mark is
;; a metatable with `__jsontype`. The native library makes and understands the
;; same ones, whoever made them, so that these layers load without it.

(local array-mark {:__jsontype :array})
(local object-mark {:__jsontype :object})
(local raw-mark {:__jsontype :raw})
(local null (setmetatable {} {:__jsontype :null :__tostring #:null}))

(fn kind-of [value]
  "\"array\", \"object\", \"null\" or \"raw\" for a marked table, else nil."
  (case (and (= (type value) :table) (getmetatable value))
    (where mark (= (type mark) :table)) (rawget mark :__jsontype)))

(fn null? [value]
  "Whether a value stands for JSON's null; nil does not."
  (= (kind-of value) :null))

(fn absent? [value]
  "Whether there is no value: nil, or JSON's null."
  (or (= value nil) (null? value)))

(fn object? [value]
  "Whether a decoded value is a JSON object: a table that is not marked as
anything else."
  (and (= (type value) :table)
       (let [kind (kind-of value)]
         (or (= kind nil) (= kind :object)))))

(fn large-integer? [value]
  "Whether a value is one of the native library's integers, which keep digits
that the VM's own numbers cannot."
  (and (= (type value) :userdata) (= (getmetatable value) "json.integer")))

(fn check-markable [value]
  "Raises unless a table is unmarked, or marked as an array or an object."
  (let [kind (kind-of value)]
    (when (and (getmetatable value) (not= kind :array) (not= kind :object))
      (error "cannot mark a table that has a metatable of its own" 3)))
  nil)

(fn array [?list]
  "Marks a list (a new one without an argument) as an array, so that it is one
even when it is empty. Returns it. Raises if it has another metatable."
  (let [list (or ?list [])]
    (check-markable list)
    (setmetatable list array-mark)))

(fn object [?table]
  "Marks a table (a new one without an argument) as an object, so that it is one
even when it is empty. Returns it. Raises if it has another metatable."
  (let [t (or ?table {})]
    (check-markable t)
    (setmetatable t object-mark)))

(fn raw [text]
  "A value that is encoded as the JSON text it is. The text is not checked: it
must come from the encoder."
  (setmetatable [text] raw-mark))

{: null
 : null?
 : absent?
 : array
 : object
 : object?
 : raw
 : kind-of
 : large-integer?}
