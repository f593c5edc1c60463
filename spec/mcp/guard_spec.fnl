;; Who may connect: the lists that the IO thread is given.

(local guard (require :mcp.guard))
(local raises (require :support.raises))

(describe "a host to bind to"
  (fn []
    (it "may be this machine's own"
      (fn []
        (each [_ host (ipairs ["127.0.0.1" "127.1.2.3" "localhost" "LocalHost"
                               "::1" "[::1]"])]
          (assert.is_true (guard.check-host host) host))))
    (it "is nobody else's unless that is said (DEV-SEC-5)"
      (fn []
        (each [_ host (ipairs ["0.0.0.0" "::" "192.0.2.1" "fe80::1"
                               "localhost.example" "127.0.0.1.example" "::2"])]
          (let [(ok? why) (guard.check-host host nil ["example"])]
            (assert.is_nil ok? host)
            (assert.is_truthy (why:find host 1 true))
            (assert.is_truthy (why:find ":allow-non-loopback" 1 true)))
          (assert.is_true (guard.check-host host true ["example"]) host))))
    (it "that stands for all addresses needs names"
      (fn []
        (each [_ host (ipairs ["0.0.0.0" "::" "[::]" "0:0:0:0:0:0:0:0"])]
          (let [(ok? why) (guard.check-host host true nil)]
            (assert.is_nil ok? host)
            (assert.is_truthy (why:find ":allowed-hosts" 1 true))))
        (assert.is_true (guard.check-host "192.0.2.1" true nil))))))

(describe "the rules"
  (fn []
    (it "let in this machine's names, and pages from it, on any port"
      (fn []
        (assert.same {:hosts ["localhost" "127.0.0.1" "[::1]"]
                      :origins ["http://localhost:*" "http://127.0.0.1:*"
                                "http://[::1]:*" "https://localhost:*"
                                "https://127.0.0.1:*" "https://[::1]:*"]
                      :expose_headers ["Mcp-Session-Id" "MCP-Protocol-Version"
                                       "WWW-Authenticate"]}
                     (guard.rules {:host "127.0.0.1"}))))
    (it "add the address that a server is bound to"
      (fn []
        (each [host name (pairs {"192.0.2.1" "192.0.2.1"
                                 "fe80::1" "[fe80::1]"
                                 "[fe80::1]" "[fe80::1]"})]
          (assert.equal name (. (guard.rules {: host}) :hosts 4)))))
    (it "are what the program says instead, if it says so"
      (fn []
        (let [rules (guard.rules {:host "0.0.0.0"
                                  :allowed-hosts ["game.example"]
                                  :allowed-origins ["https://game.example"]
                                  :token "0123456789abcdef"})]
          (assert.same ["game.example"] rules.hosts)
          (assert.same ["https://game.example"] rules.origins)
          (assert.equal "0123456789abcdef" rules.token))))))

(describe "a token"
  (fn []
    (it "can be sent, and not be guessed"
      (fn []
        (guard.check-token "0123456789abcdef")
        (each [_ token (ipairs ["" "short" "0123456789abcde"
                                "0123456789 abcdef" "0123456789abcdef\n"
                                "0123456789abcdeä" "\0000123456789abcdef"])]
          (raises "the option :token must have at least 16"
                  #(guard.check-token token)))))
    (it "is not in the message about it"
      (fn []
        (let [(_ err) (pcall guard.check-token "hunter2 hunter2 hunter2")]
          (assert.is_nil (err:find "hunter2")))))))
