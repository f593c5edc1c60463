;; mcp.options: the tables that programs hand us and get from us, in Fennel's
;; spelling and in Lua's. A key that nobody knows is an error that names it.

(fn snake->kebab [name]
  (pick-values 1 (name:gsub "_" "-")))

(fn kebab->snake [name]
  "`on-cancel` as `on_cancel`, `cancelled?` as `cancelled`."
  (pick-values 1 (-> name (: :gsub "%-" "_") (: :gsub "%?$" ""))))

;; What may have been meant

(fn distance [a b]
  "How many letters have to change to make `b` of `a` (Levenshtein)."
  (var row (fcollect [j 0 (length b)] j))
  (for [i 1 (length a)]
    (let [next-row [i]]
      (for [j 1 (length b)]
        (let [same? (= (a:byte i) (b:byte j))]
          (tset next-row (+ j 1)
                (math.min (+ (. row (+ j 1)) 1) (+ (. next-row j) 1)
                          (+ (. row j) (if same? 0 1))))))
      (set row next-row)))
  (. row (+ (length b) 1)))

;; A slip of the finger changes two letters at most.
(local slip 2)

(fn closest [name known]
  "The known name that `name` may be a slip of, or nil; of several the first in
the alphabet, so that a message is the same on every run."
  (let [names (icollect [candidate (pairs known)] candidate)]
    (table.sort names)
    (var (best least) (values nil (+ slip 1)))
    (each [_ candidate (ipairs names)]
      (let [d (distance name candidate)]
        (when (< d least)
          (set (best least) (values candidate d)))))
    best))

;; Reading

(fn shown [value]
  "A wrong value in a message: itself if it is short and no text, which might be
a secret."
  (case (type value)
    (where (or :number :boolean)) (tostring value)
    other (.. "a " other)))

(fn check [what name value wanted]
  "Raises unless the value is what `wanted` says, see `read`."
  (let [(ok? should-be) (case (type wanted)
                          :string (values (= (type value) wanted)
                                          (.. "a " wanted))
                          :function (wanted value)
                          _ true)]
    (when (not ok?)
      (error (string.format "the option :%s of %s must be %s, not %s" name what
                            should-be (shown value))
             0))))

(fn check-known [what name known]
  "Raises unless there is an option of this name, and already."
  (case (. known name)
    {: later} (error (string.format "%s has no :%s yet; %s" what name later) 0)
    nil (let [meant (closest name known)]
          (error (.. what " has no option :" name
                     (if meant (.. " (did you mean :" meant "?)") ""))
                 0))))

(fn read [what given known]
  "A new table of the given options under their kebab-case names.

`known` has an entry for every option that there is: true for any value, the
name of a type, a validator (it returns true, or false and what the value must
be), or {:later \"why\"} for an option of a coming version.

Raises, naming the option and `what` takes it: for one that is not known, with
the one that may have been meant; for a wrong type; for one given in both
spellings."
  (when (not= (type given) :table)
    (error (.. what " takes a table of options, not a " (type given)) 0))
  (let [found {}]
    (each [key value (pairs given)]
      (when (not= (type key) :string)
        (error (.. what " takes options by name; one is under " (tostring key))
               0))
      (let [name (snake->kebab key)]
        (check-known what name known)
        (check what name value (. known name))
        (when (not= nil (. found name))
          (error (.. what " was given :" name " twice") 0))
        (tset found name value)))
    found))

;; Validators

(fn whole-number [low high]
  "A validator for numbers without a fraction, from `low` to `high`."
  (fn [value]
    (values (and (= (type value) :number) (= 0 (% value 1))
                 (<= low value high))
            (string.format "a whole number from %.0f to %.0f" low high))))

(fn positive [value]
  "A validator for numbers above 0."
  (values (and (= (type value) :number) (< 0 value)) "a number above 0"))

(fn not-negative [value]
  "A validator for numbers from 0."
  (values (and (= (type value) :number) (<= 0 value)) "a number from 0"))

(fn strings [value]
  "A validator for lists of strings."
  (values (and (= (type value) :table)
               (accumulate [ok? true _ item (pairs value) &until (not ok?)]
                 (= (type item) :string)))
          "a list of strings"))

;; Giving

(fn both-cases [t]
  "The same table, answering to snake_case as well. For tables whose values stay
what they are: the twin is a copy."
  (let [twins {}]
    (each [key value (pairs t)]
      (when (= (type key) :string)
        (let [twin (kebab->snake key)]
          (when (= nil (. t twin))
            (tset twins twin value)))))
    (each [key value (pairs twins)]
      (tset t key value))
    t))

{: read : both-cases : whole-number : positive : not-negative : strings}
