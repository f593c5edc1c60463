;; mcp.registry: an ordered, observable, paged collection. Tools, resources and
;; prompts are all kept in one of these; it knows nothing about any of them.
;; Only the functions here write to `entries`, `by-key` and `listeners`.

(fn tell [self]
  "Tells everybody who listens that something changed. One who raises does not
keep the others from hearing; his error is raised when all have heard."
  (var failure nil)
  ;; A copy: a listener may take itself back while it is called.
  (each [_ listener (ipairs (icollect [_ l (ipairs self.listeners)] l))]
    (case (pcall listener.f)
      (false err) (set failure (or failure {: err}))))
  (when failure
    (error failure.err 0)))

(fn position [list wanted]
  (accumulate [found nil i item (ipairs list) &until found]
    (if (= item wanted) i)))

(fn add [self key value]
  "Puts a value at the end. Raises if the key is taken."
  (when (. self.by-key key)
    (error (.. key " is registered already") 0))
  (set self.serial (+ self.serial 1))
  (let [entry {: value :serial self.serial}]
    (table.insert self.entries entry)
    (tset self.by-key key entry))
  (tell self))

(fn replace [self key value]
  "Puts a value in the place of the one that has this key. Raises if none has."
  (let [entry (or (. self.by-key key) (error (.. key " is not registered") 0))]
    (set entry.value value))
  (tell self))

(fn remove [self key]
  "Takes a value out; false if there is none with this key."
  (let [entry (. self.by-key key)]
    (when entry
      (table.remove self.entries (position self.entries entry))
      (tset self.by-key key nil)
      (tell self))
    (not= entry nil)))

(fn get [self key]
  "The value with this key, or nil."
  (?. self.by-key key :value))

(fn count [self]
  "How many values there are."
  (length self.entries))

(fn on-change [self f]
  "Calls `f` after every change. Returns a function that ends that."
  (let [listener {: f}]
    (table.insert self.listeners listener)
    (fn []
      (case (position self.listeners listener)
        i (table.remove self.listeners i))
      nil)))

;; A cursor holds the serial number of the last entry of its page. Serials only
;; grow, so it stays good while entries come and go. A check is mixed in, so
;; that what we did not make is noticed; it keeps no secret.

(fn cursor-of [serial]
  (string.format "%x.%x" serial (% (+ (* serial 7919) 104729) 99991)))

(fn read-cursor [self cursor]
  "The serial number in a cursor, or nil if it is none of ours."
  (let [digits (if (= (type cursor) :string) (cursor:match "^(%x+)%."))
        serial (and digits (<= (length digits) 12) (tonumber digits 16))]
    (if (and serial (<= serial self.serial) (= cursor (cursor-of serial)))
        serial)))

(fn page [self ?cursor size]
  "At most `size` values in order, from where `?cursor` says (nil: from the
first), and the cursor of the next page (nil on the last). nil and a message for
a cursor that we did not make (2025-11-25, Pagination, Error Handling)."
  (let [after (if (= ?cursor nil) 0 (read-cursor self ?cursor))]
    (if (not after)
        (values nil "the cursor is none that this server has given")
        (let [found (icollect [_ entry (ipairs self.entries)]
                      (if (< after entry.serial) entry))
              next-cursor (if (< size (length found))
                              (cursor-of (. found size :serial)))]
          (values (icollect [i entry (ipairs found) &until (< size i)]
                    entry.value)
                  next-cursor)))))

(fn create-registry []
  "A new, empty registry."
  {:entries []
   :by-key {}
   :listeners []
   :serial 0
   : add
   : replace
   : remove
   : get
   : count
   : on-change
   : page})

{: create-registry}
