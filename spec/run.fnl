;; spec.run: busted, for specs in Fennel. The specs see the modules of fnl/ or,
;; compiled, of lua/; each other's helpers, as (require :support.name); and the
;; globals of tools/globals.txt and tools/globals-spec.txt.
;;
;;   luajit .deps/bin/fennel spec/run.fnl fnl|lua [busted's options] [files]
;;
;; Any Lua will do in place of luajit. Run it from the root of the repository.

(local fennel (require :fennel))

(fn read-file [name]
  (with-open [file (assert (io.open name :rb))]
    (file:read :*a)))

(local globals (icollect [_ list (ipairs [:globals :globals-spec])]
                 (read-file (.. "tools/" list ".txt"))))

(fn compiler-options [?more]
  (let [options {:correlate true :allowedGlobals [] :error-pinpoint false}]
    (each [_ list (ipairs globals)]
      (each [name (list:gmatch "%S+")]
        (table.insert options.allowedGlobals name)))
    (collect [k v (pairs (or ?more [])) &into options] k v)))

;; Compiling a spec

(local blocks (collect [_ name (ipairs [:describe :insulate :it :finally
                                        :before_each :after_each :setup
                                        :teardown :lazy_setup :lazy_teardown])]
                name true))

(fn keep-frame [ast]
  "Ends a block's function with nil. Its last form, an assertion or an `it`,
would else be a tail call, and leave no frame to take the line number from."
  (let [body (. ast (length ast))
        head (and (fennel.list? body) (tostring (. body 1)))]
    (case head
      :fn (table.insert body (fennel.sym :nil))
      :hashfn (tset body 2 (fennel.list (fennel.sym :do) (. body 2)
                                        (fennel.sym :nil))))))

(fn on-call [ast]
  (case (tostring (. ast 1))
    ;; busted would hide it from us in the file's own environment.
    :global (error "stray global: (global …) in a spec" 0)
    (where name (. blocks name)) (keep-frame ast)))

(fn compiled [filename]
  "The file as a function; raises the compiler's message."
  (let [plugin {:name :spec-blocks :versions "^1%." :call on-call}
        options (compiler-options {: filename :plugins [plugin]})
        text (.. (read-file filename) "\nnil") ; the file is a block, too
        code (fennel.compile-string text options)]
    (assert ((or _G.loadstring load) code (.. "@" filename)))))

;; What busted wants from a loader of spec files

(fn get-trace [filename info]
  "Points at the innermost frame that is Fennel."
  (when (not (info.short_src:find "%.fnl$"))
    (let [(file line) (info.traceback:match "([^%s:]+%.fnl):(%d+):")]
      (set info.short_src (or file filename))
      (set info.currentline (or (tonumber line) 0))))
  info)

(fn load-spec [busted filename]
  (case (pcall compiled filename)
    (true file) (values file get-trace)
    (_ message) (let [element {:descriptor :file :name filename}]
                  (busted.publish [:error :file] element nil message {})
                  nil)))

(tset package.preload :busted.modules.files.fennel
      #{:match #($2:find "%.fnl$") :load load-spec})

;; Stray globals. They are noted where they are set and reported when the test
;; or the file ends, so that no pcall in between can hide one.

(local strays [])

(fn note-stray [globals name value]
  (let [{: short_src : currentline} (debug.getinfo 2 :Sl)]
    (table.insert strays (string.format "%s:%d: stray global: %s" short_src
                                        currentline name)))
  (rawset globals name value))

(fn report-strays []
  (let [found (table.concat strays "\n")]
    (while (table.remove strays))
    (when (not= found "")
      (error found 0))))

(fn watch-globals []
  (let [busted (require :busted)]
    (setmetatable _G {:__newindex note-stray})
    (busted.subscribe [:test :end] report-strays)
    (busted.subscribe [:file :end] report-strays)))

(tset package.preload :stray-globals watch-globals)

;; The run

(fn use-modules [root]
  (set fennel.path "spec/?.fnl;spec/?/init.fnl")
  (set fennel.macro-path "fnl/?.fnl;fnl/?/init-macros.fnl;spec/?.fnl")
  (case root
    :fnl (set fennel.path (.. "fnl/?.fnl;fnl/?/init.fnl;" fennel.path))
    :lua (set package.path (.. "lua/?.lua;lua/?/init.lua;" package.path))
    _ (error "say fnl or lua: whose modules are the specs to see?" 0))
  ;; Before all others: fennel's own would compile without our options.
  (table.insert (or package.loaders package.searchers) 1
                (fennel.make-searcher (compiler-options))))

(fn run [root]
  (use-modules root)
  (each [i option (ipairs [:--loaders=fennel :--helper=stray-globals
                           "--pattern=_spec%.fnl$"])]
    (table.insert arg i option))
  (let [(ok? message) (pcall (require :busted.runner) {:standalone false})]
    (when (not ok?)
      (error message 0))))

(run (table.remove arg 1))
