;; examples.hello.world: balls that bounce in a box. This is the program's
;; state and the only file that writes it; it knows of no agent and no clock.
;;
;; Metres and seconds; (0, 0) is the lower left corner, y points up.

(local width 60)
(local height 20)
(local gravity 9.81)
(local top-speed 100)
(local letters "abcdefghijklmnopqrstuvwxyz")

(fn number-within? [x low high]
  (and (= (type x) :number) (<= low x high)))

(fn find [world name]
  "The ball of that name, or nil and which names there are."
  (case (accumulate [found nil _ ball (ipairs world.balls) &until found]
          (if (= ball.name name) ball))
    ball ball
    _ (let [names (icollect [_ ball (ipairs world.balls)] ball.name)]
        (values nil (.. "no such ball; there are "
                        (table.concat names ", "))))))

(fn add! [world x y vx vy]
  "A new ball, named by the next free letter; or nil and what is wrong."
  (let [count (+ (length world.balls) 1)
        name (letters:sub count count)
        ball {: name : x : y : vx : vy :watched false}]
    (if (> count (length letters))
        (values nil "the box is full")
        (not (and (number-within? x 0 width) (number-within? y 0 height)))
        (values nil (string.format "x must be 0 to %d and y 0 to %d"
                                   width height))
        (not (and (number-within? vx (- top-speed) top-speed)
                  (number-within? vy (- top-speed) top-speed)))
        (values nil (string.format "vx and vy must be -%d to %d"
                                   top-speed top-speed))
        (do (table.insert world.balls ball)
            ball))))

(fn move! [world name x y]
  "Puts a ball at a place, its speed unchanged; or nil and what is wrong."
  (case (find world name)
    (nil message) (values nil message)
    (where ball (number-within? x 0 width) (number-within? y 0 height))
    (do (set (ball.x ball.y) (values x y))
        ball)
    _ (values nil (string.format "x must be 0 to %d and y 0 to %d"
                                 width height))))

(fn watch! [world name seconds]
  "Marks a ball as watched for that long; or nil and what is wrong."
  (case (find world name)
    (nil message) (values nil message)
    (where ball (number-within? seconds 0 10))
    (do (set ball.watched true)
        (tset world.watched-until name
              (math.max (+ world.time seconds)
                        (or (. world.watched-until name) 0)))
        ball)
    _ (values nil "seconds must be 0 to 10")))

(fn bounce [position velocity limit]
  "Position and velocity after a wall, if there was one. No ball is fast enough
to cross the box in one frame, so one reflection does."
  (if (< position 0) (values (- position) (math.abs velocity))
      (> position limit) (values (- (* 2 limit) position)
                                 (- (math.abs velocity)))
      (values position velocity)))

(fn step! [world seconds]
  "One frame: everything moves on by that many seconds."
  (set world.frame (+ world.frame 1))
  (set world.time (+ world.time seconds))
  (each [_ ball (ipairs world.balls)]
    (set ball.vy (- ball.vy (* gravity seconds)))
    (set (ball.x ball.vx)
         (bounce (+ ball.x (* ball.vx seconds)) ball.vx width))
    (set (ball.y ball.vy)
         (bounce (+ ball.y (* ball.vy seconds)) ball.vy height))
    (set ball.watched
         (< world.time (or (. world.watched-until ball.name) 0)))))

(fn speed [ball]
  (math.sqrt (+ (* ball.vx ball.vx) (* ball.vy ball.vy))))

(fn draw [world columns]
  "The box seen from above, as one line of text."
  (let [cells (fcollect [_ 1 columns] " ")]
    (each [_ ball (ipairs world.balls)]
      (tset cells (+ 1 (math.floor (* (/ ball.x width) (- columns 1))))
            ball.name))
    (.. "|" (table.concat cells) "|")))

(fn create-world []
  "A box with five balls in it."
  (let [world {:frame 0 :time 0 : width : height :balls [] :watched-until {}}]
    (for [i 1 5]
      (add! world (* i 10) (+ 4 (* i 2)) (- (* i 5) 14) 0))
    world))

{: create-world : step! : find : add! : move! : watch! : speed : draw}
