;; mcp.guard: turns a server's options into the lists that the IO thread
;; enforces before it reads a body. Policy is here, enforcement is not.

;; Long enough that nobody guesses it by asking: 16 characters are 64 bits even
;; if they are only hexadecimal digits.
(local min-token-length 16)

(local loopback-names ["localhost" "127.0.0.1" "[::1]"])

(fn loopback? [host]
  "Whether a host to bind to can be reached from this machine alone."
  (or (= (host:lower) "localhost") (= host "::1") (= host "[::1]")
      (not= nil (host:match "^127%.%d+%.%d+%.%d+$"))))

(fn every-address? [host]
  "Whether a host stands for all addresses of the machine."
  (or (= host "0.0.0.0") (not= nil (host:match "^%[?[0:]*:[0:]*%]?$"))))

(fn check-host [host ?allow-non-loopback ?allowed-hosts]
  "True if a server may bind to this host, else nil and why not: others can
reach it, and nobody said that they may (a token does not say so, it travels in
clear text); or it is reached under names that cannot be known here, and without
them a page could rebind its own (2025-11-25, Transports, Security Warning)."
  (if (loopback? host) true
      (not ?allow-non-loopback)
      (values nil
              (string.format (.. "%s can be reached from other machines; set "
                                 ":allow-non-loopback true if that is meant "
                                 "(a token alone does not)")
                             host))
      (and (every-address? host) (not ?allowed-hosts))
      (values nil
              (string.format (.. "a server on %s needs :allowed-hosts, the "
                                 "names and addresses that clients use for it")
                             host))
      true))

(fn check-token [token]
  "Raises for a token that could not be sent, or be guessed."
  (when (or (not (token:find "^[\033-\126]+$"))
            (< (length token) min-token-length))
    (error (string.format (.. "the option :token must have at least %d visible "
                              "ASCII characters and no blanks; crypto.random "
                              "makes good ones")
                          min-token-length)
           0)))

(fn authority [host]
  "A host as it stands in a URL."
  (if (and (host:find ":" 1 true) (not= (host:sub 1 1) "["))
      (.. "[" host "]")
      host))

(fn default-hosts [host]
  "Loopback's names on any port, and what the server is bound to."
  (let [hosts (icollect [_ name (ipairs loopback-names)] name)]
    (when (not (loopback? host))
      (table.insert hosts (authority host)))
    hosts))

(fn default-origins []
  "Pages that this machine serves itself, from any port."
  (let [origins []]
    (each [_ scheme (ipairs [:http :https])]
      (each [_ name (ipairs loopback-names)]
        (table.insert origins (.. scheme "://" name ":*"))))
    origins))

(fn rules [{: host : allowed-hosts : allowed-origins : token}]
  "What to give to an http_server's guard for a bind to `host`; the other three
are options of a server, and each may be nil."
  {:hosts (or allowed-hosts (default-hosts host))
   :origins (or allowed-origins (default-origins))
   : token
   :expose_headers ["Mcp-Session-Id"
                    "MCP-Protocol-Version"
                    "WWW-Authenticate"]})

{: check-host : check-token : rules : authority : every-address?}
