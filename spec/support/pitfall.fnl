;; support.pitfall: a module with an error on line 9, for spec.run. What comes
;; before makes the Lua of it have other lines.

(local {: format} string)

(fn fall [?ground]
  (let [depth (case ?ground
                nil 0
                ground (+ ground.depth (length (format "%d" 1))))]
    depth))

{:fall #(fall {})}
