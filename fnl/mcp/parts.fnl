;; mcp.parts: what a server takes from the native library when it is handed
;; nothing else: the JSON bridge, and a maker of ids that nobody guesses. A file
;; of its own so that the protocol layers and the server load without it.

(fn native-parts []
  "{:json {: encode : decode} :uuid f}; loads the library if need be."
  (let [{: json : uuid} (require :mcp.native)]
    {: json :uuid uuid.v4}))

{: native-parts}
