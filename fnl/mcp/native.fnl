;; mcp.native: finds the native library, checks that it is the right one, and
;; is it: {http_server json uuid crypto version}. The only file here that does
;; something when it is loaded.

(local version (require :mcp.version))

(local vms {"Lua 5.1" {:name :lua51 :make "lua5.1"}
            "Lua 5.4" {:name :lua54 :make "lua5.4"}})

(local vm (if (rawget _G :jit) {:name :luajit :make "luajit"}
              (. vms _VERSION)))

(fn here []
  "The folder of this file, with its slash; \"\" if that cannot be known."
  (let [{: source} (debug.getinfo 1 :S)]
    (or (source:match "^@(.*[/\\])") "")))

(fn candidates []
  "Where the library may be, the likeliest first: beside this file, in the build
folder of the repository that this file is in or that is the working directory,
and on package.cpath."
  (let [build (.. "build/" vm.name "/moonport_core.so")
        paths [(.. (here) "moonport_core.so") (.. (here) "../../" build) build]]
    (each [pattern (package.cpath:gmatch "[^;]+")]
      (when (pattern:find "?" 1 true)
        (let [path (pattern:gsub "%?" "moonport_core")]
          (table.insert paths path))))
    paths))

(fn checked [?library]
  "The library, or nil and why it does not fit."
  (let [theirs (or (?. ?library :version) {})]
    (if (not= theirs.vm vm.name)
        (values nil (.. "it is built for " (tostring theirs.vm)))
        (not= theirs.moonport version)
        (values nil (.. "it is version " (tostring theirs.moonport) ", not "
                        version))
        ?library)))

(fn load-from [path]
  "The library at a path, or nil and why not."
  (case (package.loadlib path :luaopen_moonport_core)
    (nil why) (values nil (pick-values 1 (why:gsub "^.-: " "")))
    open (case (pcall open)
           (true library) (checked library)
           (_ why) (values nil (tostring why)))))

(fn find []
  (when (not vm)
    (error (.. "moonport has no library for " _VERSION "; it runs on LuaJIT, "
               "Lua 5.1 and Lua 5.4")
           0))
  (let [tried []]
    (or (accumulate [library nil _ path (ipairs (candidates)) &until library]
          (case (load-from path)
            (nil why) (do (table.insert tried (.. "  " path ": " why))
                          nil)
            found found))
        (error (string.format
                 (.. "moonport's native library for %s was not found. Tried:\n"
                     "%s\nTo build it, in moonport's folder: make build LUA=%s")
                 vm.name (table.concat tried "\n") vm.make)
               0))))

;; One engine a Lua state: a program that loads our modules anew, as live ones
;; do, must get the library that it has.
(let [library (or (checked package.loaded.moonport_core) (find))]
  (set package.loaded.moonport_core library)
  library)
