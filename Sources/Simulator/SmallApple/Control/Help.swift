/// What the program tells about itself.
package enum Help {
    package static let usage = """
        app-store-simulator: a small App Store on this machine, for demos and tests.

          app-store-simulator --listen 127.0.0.1:PORT --state FOLDER [--seed N] [--calm]

          --listen ADDRESS  loopback only, such as 127.0.0.1:8090 or [::1]:8090; port 0 takes a free one
          --state FOLDER    gets roots/ with the root certificate (DER) to be trusted, and simulator.json with the
                            addresses; authority.json keeps the chain and its key, so that the root stays the same
                            one from start to start; apps, developers' keys, purchases and Advanced Commerce requests
                            are remembered when it is stopped
          --seed N          repeats a run: the same decisions, mischief and purchases; nothing but the root is
                            remembered
          --calm            no mischief: see "calm" below
          --log LEVEL       debug, info (the default), warning or error; lines are JSON on standard error
          --help            this text

        It has a certificate authority of its own, serves the App Store Server API and the refund calls of the
        Advanced Commerce API of both environments under /production and /sandbox (a client takes
        http://ADDRESS/production for Apple's host) and, as the older host names, under /itunes/production and
        /itunes/sandbox, sends notifications, and refuses what Apple refuses: bad tokens with one bare 401, bad consumption
        information with Apple's codes, too many calls with 429. Codes that Apple's pages do not number (three of
        consumption information, and the one of a missing Advanced Commerce addendum) are drawn anew at each start.

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
        PUT    /control/backends/{bundleId}  plays the app's own server at /backend/{bundleId}/evidence: {"mode"?: "answer",
                                       "silent" or "fail", "status"? (of "fail"), "secret"? (whsec_…: a wrong
                                       signature is answered 401), "answers"? {product or "*": answer}}; what is
                                       not scripted is made up, for one purchase always the same
        GET    /control/backends/{bundleId}  what it was asked: {"asked": [{"at", "signed", "id", "body", "status"}]}
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
                                       "method"?, "pathContains"?, "worked"?: true works on the call and then
                                       answers "status" all the same}]}
        GET    /control/answers        those that wait
        DELETE /control/answers
        GET    /control/calls?after=N&limit=N&environment=E&path=PART   the ledger; tokens appear as their claims
        DELETE /control/calls
        POST   /control/traffic        {"perMinute"?, "bundleIds"?, "sandboxPercent"?, "count"?, "onlyRequests"?,
                                       "backend"?: {"url", "token"}: the app's own server, reporting consent and use}
        GET    /control/traffic, DELETE /control/traffic

        """ + commerce

    private static let commerce = """
        Advanced Commerce: Request Transaction Refund, Revoke Subscription, Cancel a Subscription

        GET    /control/commerce       the switches, each app's standing, and the refusal of a missing addendum
        PUT    /control/commerce       {"outcome"?: refund, decline, silentRefund, silentDecline (no notification), none
                                       (never decided), asAnswered (as the consumption information prefers), drawn (from
                                       the seed), or null: drawn where the manners are wilful, asAnswered where they
                                       only decide, none where they do not;
                                       "repeats"?: untilAnswered (a requestReferenceId may come again with the same call
                                       until an answer was sent, then 4000097), refused (always 4000097), same (the same
                                       call is always the same);
                                       "jsonUnauthorized"?: true answers bad tokens with 401 and 4010000, not bare;
                                       "newHosts"?: false leaves these calls to /itunes/…; "countsSeconds"?: false counts
                                       the hour alone; "jitterMilliseconds"?: what a second may lack (100);
                                       "decidesAtOnce"?: before the answer; "answersAfterDecision"?: true holds each
                                       answer back until the refund was booked; "asksForConsumption"?: false sends no
                                       CONSUMPTION_REQUEST for refundRiskingPreference true}
                                       A decision takes "decisionMilliseconds" of /control/manners from the acceptance,
                                       or from the consumption information, or "patienceMilliseconds" without one.
        PUT    /control/commerce/apps/{bundleId}  {"environment"?: both without it, "approved"?: false answers 401 with
                                       4010000, "addendum"?: false refuses with the code drawn at the start,
                                       "outcome"?: for this app}
        POST   /control/commerce/purchases  {"bundleId", "kind": subscription or oneTime, "items": [{"SKU", "price" in
                                       milliunits, "displayName"?, "description"?}], "environment"?, "storefront"?: USA,
                                       DEU, FRA, JPN, VNM, GBR, BRA, CAN, KOR or CHE, "period"?: P1M, "earlierPeriods"?,
                                       "ageSeconds"?, "familyShared"?, "transactionId"?, "appAccountToken"? ("": none),
                                       "consistencyToken"?, "count"?, "tells"?: true notifies of each transaction}
        PUT    /control/commerce/transactions/{transactionId}  {"environment"?, "refusal"?: the code with which each
                                       request is refused, such as 4030024 (null: none), "expires"?: true ends the
                                       period now and sends EXPIRED}
        GET    /control/commerce/requests?bundleId=&environment=&transactionId=&requestReferenceId=&limit=
        POST   /control/commerce/requests/{requestReferenceId}/decision  {"outcome", "environment"?} decides now
        GET    /control/commerce/refunds?…&SKU=   the ledger: one row for each refund of an item → {"count", "refunds"}
        GET    /control/commerce/rates?bundleId=  calls of each app, and the busiest span of 900, 1000, 1900 and 2000 ms
        DELETE /control/commerce/rates

        A customer asks first: POST /control/notifications with CONSUMPTION_REQUEST for the transaction; until it is
        decided these calls say 4000181. Lost answers: POST /control/answers with "pathContains": "/advancedCommerce/".

        """
}
