/// What the program tells about itself.
package enum Help {
    package static let usage = """
        app-store-simulator: a small App Store on this machine, for demos and tests.

          app-store-simulator --listen 127.0.0.1:PORT --state FOLDER [--seed N] [--calm]

          --listen ADDRESS  loopback only, such as 127.0.0.1:8090 or [::1]:8090; port 0 takes a free one
          --state FOLDER    gets roots/ with the root certificate (DER) to be trusted, and simulator.json with the
                            addresses; roots of earlier starts stay, so that what they signed can still be read,
                            and apps, developers' keys and purchases are remembered
          --seed N          repeats a run: the same decisions, mischief and purchases; nothing is remembered
          --calm            no mischief: see "calm" below
          --log LEVEL       debug, info (the default), warning or error; lines are JSON on standard error
          --help            this text

        It makes a certificate authority and keys anew at each start, serves the App Store Server API of both
        environments under /production and /sandbox (a client takes http://ADDRESS/production for Apple's host),
        sends notifications, and refuses what Apple refuses: bad tokens with one bare 401, bad consumption
        information with Apple's codes, too many calls with 429. Three codes that Apple's pages do not number are
        drawn anew at each start.

        Unless it is calm it behaves as the real one does on a bad day:
          copies       some notifications are sent twice
          lateness     some are sent late
          disorder     some wait until a newer one was sent
          inventions   fields and values that nobody knows appear
          troubles     some calls are answered 429 or 500
          decisions    requests are decided some seconds after the answer, or without one
          retries      failed production notifications are sent again, an hour taking two seconds
          wilfulness   decisions are sometimes other than asked for, and refunds undone again


        """ + control

    package static let control = """
        Control API (JSON, this machine only)

        GET    /control/status
        PUT    /control/manners        {"calm": bool, any of the names above: bool, "decisionMilliseconds",
                                       "patienceMilliseconds", "retryHourMilliseconds", "clockOffsetSeconds",
                                       "senderPatienceMilliseconds", "rateWindowSeconds"}
        POST   /control/keys           {"issuerId"?} → {"keyId", "issuerId", "privateKey" (.p8 text), "fingerprint"}
        DELETE /control/keys/{keyId}   revokes a key
        GET    /control/apps
        PUT    /control/apps/{bundleId}  {"appAppleId", "issuerId"?, "keyId"?, "publicKey"? (PEM or base64),
                                       "notificationURL" for both environments, or "notificationURLs"
                                       {"Production"?, "Sandbox"?} (null: none, a test is refused with
                                       404/4040007), "notificationVersion": 1 or 2 for both, or
                                       "notificationVersions" {"Production"?, "Sandbox"?} (1: unsigned bodies,
                                       a TEST is version 2 all the same), "onSale"? (false: Production answers
                                       its tokens with the bare 401; "released" is the same switch)}
        DELETE /control/apps/{bundleId}  withdraws the app: its calls say 404/4040003
        POST   /control/transactions   {"bundleId", "environment"?, "productType"?, "count"?, "transaction"? (changes),
                                       "familyShared"?, "advancedCommerce"?, "ageSeconds"?}
        GET    /control/transactions?environment=Production|Sandbox
        POST   /control/notifications  {"bundleId", "type"?, "subtype"?, "environment"?, "url"?, "transactionId"?,
                                       "productType"?, "reason"?, "transaction"?, "renewal"?, "data"?, "payload"?
                                       (changes; null removes), "rawTransaction"?, "rawPayload"?,
                                       "signedDateOffsetSeconds"?, "notificationUUID"?, "copies"?, "send"?: false only
                                       signs, "decides"?, "withManners"?: true sends with mischief}
                                       → the notification with "deliveries": what the server answered
        GET    /control/notifications?limit=N, /control/notifications/{notificationUUID}
        POST   /control/sign           {"payload": any, "header"? (changes)} → {"jws"}
        POST   /control/answers        {"environment"?: both without it, "answers": [{"status"? (without it the call
                                       is worked on as always), "headers"?, "body"? (text or JSON), "errorCode"?,
                                       "delayMilliseconds"?, "ending"?: "send"|"reset"|"hang", "times"?: 1 (0: always),
                                       "method"?, "pathContains"?}]}
        GET    /control/answers        those that wait
        DELETE /control/answers
        GET    /control/calls?after=N&limit=N&environment=E&path=PART   the ledger; tokens appear as their claims
        DELETE /control/calls
        POST   /control/traffic        {"perMinute"?, "bundleIds"?, "sandboxPercent"?, "count"?, "onlyRequests"?,
                                       "backend"?: {"url", "token"}: the app's own server, reporting consent and use}
        GET    /control/traffic, DELETE /control/traffic

        """
}
