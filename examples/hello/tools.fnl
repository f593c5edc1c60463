;; examples.hello.tools: what an agent can see and do in the world. A handler
;; runs on the program's own thread, between two frames: no locks, no copies.
;; (values nil message) tells the agent what it did wrong.

(local {: ToolRegistry} (require :mcp.tool-registry))
(local world (require :examples.hello.world))

(local sample-interval 0.05)

(local ball-name {:type :string :description "One letter, as hello_list says"})

(local ball-schema
       {:type :object
        :properties {:name {:type :string}
                     :x {:type :number}
                     :y {:type :number}
                     :vx {:type :number}
                     :vy {:type :number}
                     :watched {:type :boolean}}
        :required [:name :x :y :vx :vy :watched]})

(fn list [w]
  {:frame w.frame :time w.time :width w.width :height w.height :balls w.balls})

(fn measure [w args ctx]
  "Samples a ball's speed while the frames go on: ctx.sleep gives the thread
back to the program and returns when the time has come."
  (let [seconds (or args.seconds 1)]
    (case (world.watch! w args.name seconds)
      (nil message) (values nil message)
      ball (let [(first-frame finish) (values w.frame (+ w.time seconds))]
             (var (samples low high sum) (values 0 math.huge 0 0))
             (while (or (< w.time finish) (= samples 0))
               (let [speed (world.speed ball)]
                 (set (low high) (values (math.min low speed)
                                         (math.max high speed)))
                 (set (samples sum) (values (+ samples 1) (+ sum speed))))
               (ctx.sleep sample-interval))
             {:name ball.name
              :frames (- w.frame first-frame)
              : samples
              :min low
              :max high
              :mean (/ sum samples)}))))

(fn create-tools [w]
  "The registry of the tools on the world `w`."
  (let [tools (ToolRegistry {:namespace-prefix "hello_"})]
    (tools:register
     {:name "hello_list"
      :title "List the balls"
      :description "Every ball with its place (m) and velocity (m/s), the size
of the box, and the frame and time they were seen at."
      :annotations {:readOnlyHint true :openWorldHint false}
      :input-schema {:type :object :properties {}}
      :output-schema {:type :object
                      :properties {:frame {:type :integer}
                                   :time {:type :number}
                                   :width {:type :number}
                                   :height {:type :number}
                                   :balls {:type :array :items ball-schema}}
                      :required [:frame :time :width :height :balls]}
      :handler (fn [] (list w))})
    (tools:register
     {:name "hello_add"
      :title "Add a ball"
      :description "Puts a new ball into the box and gives it a name."
      :annotations {:destructiveHint false :openWorldHint false}
      :input-schema {:type :object
                     :properties {:x {:type :number}
                                  :y {:type :number}
                                  :vx {:type :number :default 0}
                                  :vy {:type :number :default 0}}
                     :required [:x :y]}
      :output-schema ball-schema
      :handler (fn [{: x : y : vx : vy}]
                 (world.add! w x y (or vx 0) (or vy 0)))})
    (tools:register
     {:name "hello_move"
      :title "Move a ball"
      :description "Puts a ball at another place; it keeps its velocity."
      :annotations {:idempotentHint true :openWorldHint false}
      :input-schema {:type :object
                     :properties {:name ball-name
                                  :x {:type :number}
                                  :y {:type :number}}
                     :required [:name :x :y]}
      :output-schema ball-schema
      :handler (fn [{: name : x : y}] (world.move! w name x y))})
    (tools:register
     {:name "hello_measure"
      :title "Measure a ball's speed"
      :description "Watches a ball for some seconds (1, at most 10) and gives
its lowest, highest and mean speed (m/s), and over how many frames."
      :annotations {:readOnlyHint true :openWorldHint false}
      :input-schema {:type :object
                     :properties {:name ball-name
                                  :seconds {:type :number
                                            :minimum 0
                                            :maximum 10
                                            :default 1}}
                     :required [:name]}
      :output-schema {:type :object
                      :properties {:name {:type :string}
                                   :frames {:type :integer}
                                   :samples {:type :integer}
                                   :min {:type :number}
                                   :max {:type :number}
                                   :mean {:type :number}}
                      :required [:name :frames :samples :min :max :mean]}
      :handler (fn [args ctx] (measure w args ctx))})
    tools))

{: create-tools}
