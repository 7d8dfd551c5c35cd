/// The description of the API, as `/api/v1/openapi.json` serves it.
enum OpenAPI {
    static let bytes = Array(text.utf8)

    // One line of JSON a line, folded where it is too long.
    private static let text = #"""
        {
         "openapi": "3.1.0",
         "info": {
          "title": "Refund Desk",
          "version": "1",
          "description": "What an app's own server reports and asks. Names inside bodies are Apple's where Apple \#
        has one; times are integer milliseconds. Bodies are strict JSON in UTF-8: unknown members, equal members \#
        and trailing commas are refused with 400. Errors are problem details (RFC 9457). What belongs to another \#
        tenant is as absent as what never was, and so is whatever an id in a path names that cannot be one: 404. In a \#
        body or a query such an id is refused with 400."
         },
         "servers": [{"url": "/"}],
         "security": [{"token": []}],
         "paths": {
          "/api/v1/openapi.json": {
           "get": {
            "operationId": "getOpenAPI",
            "summary": "This description",
            "security": [],
            "responses": {
             "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}
            }
           }
          },
          "/api/v1/apps/{bundleId}/customers/{appAccountToken}/consent": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": \#
        "#/components/parameters/appAccountToken"}],
           "get": {
            "operationId": "getCustomerConsent",
            "summary": "A customer's consent and its history",
            "x-scope": "consent",
            "parameters": [],
            "responses": {
             "200": {
              "description": "How the customer stands.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConsentState"}}}
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           },
           "put": {
            "operationId": "putCustomerConsent",
            "summary": "Report a customer's consent",
            "description": "The newest recordedAt counts, whatever order reports come in; at a tie the withdrawal. \#
        Consent given after Apple signed a request counts for the next one.",
            "x-scope": "consent",
            "parameters": [],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Consent"}}}
            },
            "responses": {
             "200": {
              "description": "How the customer stands now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConsentState"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"},
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/transactions/{transactionId}/consent": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": \#
        "#/components/parameters/transactionId"}],
           "get": {
            "operationId": "getPurchaseConsent",
            "summary": "Consent of a buyer without an appAccountToken",
            "x-scope": "consent",
            "parameters": [],
            "responses": {
             "200": {
              "description": "How the buyer stands.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConsentState"}}}
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           },
           "put": {
            "operationId": "putPurchaseConsent",
            "summary": "Report the consent of a buyer without an appAccountToken",
            "description": "Counts for the transaction's originalTransactionId.",
            "x-scope": "consent",
            "parameters": [],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Consent"}}}
            },
            "responses": {
             "200": {
              "description": "How the buyer stands now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ConsentState"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"},
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/transactions/{transactionId}/usage": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": \#
        "#/components/parameters/transactionId"}],
           "put": {
            "operationId": "putUsage",
            "summary": "Report delivery and use of a purchase",
            "description": "Of each member the newest observedAt counts. Transactions that were not seen yet are \#
        accepted. At least one member beside observedAt is needed. creditsUsed and creditsGranted, and itemsUsed and \#
        itemsGranted, are given together; they count for products whose use is reckoned by them (docs/evidence.md).",
            "x-scope": "usage",
            "parameters": [],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Usage"}}}
            },
            "responses": {
             "200": {
              "description": "What is stored now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UsageState"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"},
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/usage-batches": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}],
           "post": {
            "operationId": "postUsageBatch",
            "summary": "Report many at once",
            "description": "Rows are independent: what is wrong with one harms no other. The same batch again \#
        changes nothing.",
            "x-scope": "usage",
            "parameters": [],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UsageBatch"}}}
            },
            "responses": {
             "200": {
              "description": "What became of each row, in their order.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/UsageBatchResult"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"},
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/cases": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}],
           "get": {
            "operationId": "listCases",
            "summary": "Cases of an app, newest first",
            "x-scope": "cases",
            "parameters": [
             {
              "name": "state",
              "in": "query",
              "required": false,
              "description": "Only cases in this state.",
              "schema": {
               "type": "string",
               "enum": ["open", "held", "answered", "withheld", "refused", "missed", "overtaken", "unasked", \#
        "imported"]
              }
             },
             {
              "name": "outcome",
              "in": "query",
              "required": false,
              "description": "Only cases with this outcome.",
              "schema": {"type": "string", "enum": ["pending", "refunded", "declined", "reversed", "unheard"]}
             },
             {
              "name": "reason",
              "in": "query",
              "required": false,
              "description": "consumptionRequestReason as Apple wrote it.",
              "schema": {"type": "string"}
             },
             {
              "name": "productId",
              "in": "query",
              "required": false,
              "description": "Only cases of this product.",
              "schema": {"type": "string"}
             },
             {
              "name": "environment",
              "in": "query",
              "required": false,
              "description": "Only cases of this environment.",
              "schema": {"type": "string", "enum": ["Production", "Sandbox"]}
             },
             {
              "name": "transactionId",
              "in": "query",
              "required": false,
              "description": "The case of this transaction.",
              "schema": {"type": "string", "pattern": "^[0-9]{1,20}$"}
             },
             {
              "name": "originalTransactionId",
              "in": "query",
              "required": false,
              "description": "Cases of this purchase.",
              "schema": {"type": "string", "pattern": "^[0-9]{1,20}$"}
             },
             {
              "name": "appAccountToken",
              "in": "query",
              "required": false,
              "description": "Cases of this customer.",
              "schema": {"type": "string", "format": "uuid"}
             },
             {
              "name": "from",
              "in": "query",
              "required": false,
              "description": "The newest request's signedDate, at or after this moment.",
              "schema": {"type": "integer", "format": "int64"}
             },
             {
              "name": "to",
              "in": "query",
              "required": false,
              "description": "The newest request's signedDate, before this moment.",
              "schema": {"type": "integer", "format": "int64"}
             },
             {
              "name": "limit",
              "in": "query",
              "required": false,
              "description": "How many at most.",
              "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}
             },
             {
              "name": "cursor",
              "in": "query",
              "required": false,
              "description": "nextCursor of the page before.",
              "schema": {"type": "string"}
             }
            ],
            "responses": {
             "200": {
              "description": "A page of cases.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CasePage"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/commerce-requests": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}],
           "get": {
            "operationId": "listCommerceRequests",
            "summary": "Requests to Apple for refunds, revocations and cancellations, newest first",
            "x-scope": "commerce",
            "parameters": [
             {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/CommerceState"}},
             {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["refund", "revoke", "cancel"]}},
             {"name": "environment", "in": "query", "schema": {"type": "string", "enum": ["Production", "Sandbox"]}},
             {"name": "transactionId", "in": "query", "schema": {"type": "string", "pattern": "^[0-9]{1,20}$"}},
             {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}},
             {"name": "cursor", "in": "query", "description": "nextCursor of the page before.", "schema": {"type": "string"}}
            ],
            "responses": {
             "200": {
              "description": "A page of requests.",
              "content": {
               "application/json": {
                "schema": {
                 "type": "object",
                 "required": ["commerceRequests"],
                 "properties": {
                  "commerceRequests": {"type": "array", "items": {"$ref": "#/components/schemas/CommerceRequest"}},
                  "nextCursor": {"type": "string"}
                 }
                }
               }
              }
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           },
           "post": {
            "operationId": "postCommerceRequest",
            "summary": "Ask Apple for a refund, a revocation or a cancellation",
            "description": "For purchases made with the Advanced Commerce API. Every rule of Apple is checked first. \#
        The request is sent once, in its turn; its outcome comes by Apple's notification. What waits for an approval \#
        that the limits no longer ask for goes on when it is asked for again under its key.",
            "x-scope": "commerce",
            "parameters": [
             {
              "name": "Idempotency-Key",
              "in": "header",
              "description": "Your own key for this intention, 1 to 200 visible ASCII characters. The same key for the \#
        same intention gives the request that is there; for another one it is refused with 409.",
              "schema": {"type": "string", "minLength": 1, "maxLength": 200}
             }
            ],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewCommerceRequest"}}}
            },
            "responses": {
             "200": {
              "description": "The request that this key made before.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CommerceRequest"}}}
             },
             "201": {
              "description": "A new request.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CommerceRequest"}}}
             },
             "409": {
              "description": "The key was used for something else, or another request for the purchase is not sent yet.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
             "422": {
              "description": "A rule of Apple's is broken: `member` names where, `detail` the rule and Apple's code.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          },
          "/api/v1/commerce-requests/{requestId}": {
           "get": {
            "operationId": "getCommerceRequest",
            "summary": "One request with its attempts and what came of it",
            "x-scope": "commerce",
            "parameters": [
             {
              "name": "requestId",
              "in": "path",
              "required": true,
              "description": "The request's id.",
              "schema": {"type": "string", "format": "uuid"}
             }
            ],
            "responses": {
             "200": {
              "description": "The request.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CommerceRequest"}}}
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          },
          \#(answerPath),
          \#(customerPath),
          \#(overridePaths),
          "/api/v1/cases/{caseId}": {
           "get": {
            "operationId": "getCase",
            "summary": "One case with everything that happened",
            "x-scope": "cases",
            "parameters": [
             {
              "name": "caseId",
              "in": "path",
              "required": true,
              "description": "The case's id.",
              "schema": {"type": "string", "format": "uuid"}
             }
            ],
            "responses": {
             "200": {
              "description": "The whole case.",
              "content": {
               "application/json": {
                "schema": {
                 "allOf": [
                  {"$ref": "#/components/schemas/Case"},
                  {
                   "type": "object",
                   "required": ["timeline"],
                   "properties": {
                    "timeline": {
                     "type": "array",
                     "description": "What happened, oldest first.",
                     "items": {"$ref": "#/components/schemas/TimelineEntry"}
                    }
                   }
                  }
                 ]
                }
               }
              }
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          }
         },
         "components": {
          "securitySchemes": {
           "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token made with `refund-desk token add`: rd_ and 43 characters."
           }
          },
          "parameters": {
           "bundleId": {
            "name": "bundleId",
            "in": "path",
            "required": true,
            "description": "The app's bundle ID, to the letter.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 155}
           },
           "appAccountToken": {
            "name": "appAccountToken",
            "in": "path",
            "required": true,
            "description": "The UUID that the app gave Apple for the customer; the same in either case.",
            "schema": {"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36}
           },
           "transactionId": {
            "name": "transactionId",
            "in": "path",
            "required": true,
            "description": "Apple's transactionId.",
            "schema": {"type": "string", "pattern": "^[0-9]{1,20}$"}
           }
          },
          "responses": {
           "BadRequest": {
            "description": "The call can never be right; `member` names what is wrong.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "Unauthorized": {
            "description": "No token, or one that is unknown, revoked or has ended.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "Forbidden": {
            "description": "The token lacks the scope.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "NotFound": {
            "description": "Unknown, another tenant's, or named by an id that cannot be one.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "TooLarge": {
            "description": "The body is too large.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "UnsupportedMediaType": {
            "description": "Send application/json without Content-Encoding.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           },
           "Unavailable": {
            "description": "Not now; call again after Retry-After seconds.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
           }
          },
          "schemas": {
           "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
             "type": {"type": "string"},
             "title": {"type": "string"},
             "status": {"type": "integer"},
             "detail": {"type": "string"},
             "member": {"type": "string", "description": "The member or parameter it is about."}
            }
           },
           "CommerceState": {
            "type": "string",
            "enum": [
             "draft", "awaiting-approval", "queued", "sending", "accepted", "refunded", "declined", "failed",
             "pending-at-apple", "cancelled"
            ]
           },
           "CommerceItem": {
            "type": "object",
            "additionalProperties": false,
            "required": ["SKU", "refundReason", "refundType", "revoke"],
            "properties": {
             "SKU": {"type": "string", "minLength": 1, "maxLength": 128},
             "refundReason": {"$ref": "#/components/schemas/CommerceReason"},
             "refundType": {"type": "string", "enum": ["FULL", "PRORATED", "CUSTOM"]},
             "refundAmount": {
              "type": "integer", "description": "Milliunits of the currency, with CUSTOM only: 4.99 USD is 4990.",
              "minimum": 1, "maximum": 2147483647
             },
             "revoke": {"type": "boolean", "description": "Whether the item's access ends with the refund."}
            }
           },
           "CommerceReason": {
            "type": "string",
            "enum": [
             "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
             "MODIFY_ITEMS_REFUND", "SIMULATE_REFUND_DECLINE"
            ]
           },
           "NewCommerceRequest": {
            "type": "object",
            "additionalProperties": false,
            "required": ["kind", "environment", "transactionId"],
            "properties": {
             "kind": {"type": "string", "enum": ["refund", "revoke", "cancel"]},
             "environment": {"type": "string", "enum": ["Production", "Sandbox"]},
             "transactionId": {"type": "string", "pattern": "^[0-9]{1,20}$"},
             "items": {
              "type": "array", "description": "Of a refund.", "maxItems": 100,
              "items": {"$ref": "#/components/schemas/CommerceItem"}
             },
             "refundReason": {"$ref": "#/components/schemas/CommerceReason"},
             "refundType": {"type": "string", "enum": ["FULL", "PRORATED"], "description": "Of a revocation."},
             "refundRiskingPreference": {
              "type": "boolean",
              "description": "Of a refund or revocation, always: whether Apple may ask for consumption data first."
             },
             "storefront": {"type": "string", "pattern": "^[A-Z]{3}$"},
             "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
             "note": {"type": "string", "maxLength": 2000, "description": "For your own records; never sent."},
             "acceptWarnings": {
              "type": "boolean",
              "description": "Ask although something is odd, such as an amount above the price; false where left out."
             }
            }
           },
           "CommerceRequest": {
            "type": "object",
            "required": [
             "id", "bundleId", "kind", "environment", "transactionId", "originalTransactionId", "state",
             "requestReferenceId", "askedAt", "needsApproval", "attempts", "changedAt"
            ],
            "properties": {
             "id": {"type": "string", "format": "uuid"},
             "bundleId": {"type": "string"},
             "kind": {"type": "string", "enum": ["refund", "revoke", "cancel"]},
             "environment": {"type": "string", "enum": ["Production", "Sandbox"]},
             "transactionId": {"type": "string"},
             "originalTransactionId": {"type": "string"},
             "state": {"$ref": "#/components/schemas/CommerceState"},
             "stateReason": {"type": "string"},
             "requestReferenceId": {"type": "string", "format": "uuid"},
             "items": {
              "type": "array",
              "items": {
               "type": "object",
               "description": "As asked (of a revocation, all that was bought), with price, refundedAmount, refundedAt and revocationDate as Apple signed them."
              }
             },
             "refundReason": {"$ref": "#/components/schemas/CommerceReason"},
             "refundType": {"type": "string"},
             "refundRiskingPreference": {"type": "boolean"},
             "storefront": {"type": "string"},
             "currency": {"type": "string"},
             "note": {"type": "string"},
             "askedAt": {"type": "integer", "format": "int64"},
             "needsApproval": {"type": "boolean"},
             "approvedAt": {"type": "integer", "format": "int64"},
             "cancelledAt": {"type": "integer", "format": "int64"},
             "caseId": {"type": "string", "format": "uuid"},
             "notificationUUID": {
              "type": "string", "format": "uuid",
              "description": "The CONSUMPTION_REQUEST that this request brought about."
             },
             "body": {"type": "string", "description": "What is sent, to the byte."},
             "answer": {
              "type": "object",
              "description": "Apple's newest answer: status, errorCode, errorName, errorMessage, at, meaning, verdict."
             },
             "attempts": {"type": "array", "items": {"type": "object"}},
             "changedAt": {"type": "integer", "format": "int64"}
            }
           },
           "Consent": {
            "type": "object",
            "additionalProperties": false,
            "required": ["consented"],
            "properties": {
             "consented": {"type": "boolean"},
             "wordingVersion": {"type": "string", "minLength": 1, "maxLength": 500},
             "source": {"type": "string", "maxLength": 500},
             "recordedAt": {
              "type": "integer",
              "format": "int64",
              "description": "When the customer said so, in milliseconds; now where it is left out; never in the \#
        future.",
              "minimum": 1215648000000
             }
            }
           },
           "ConsentState": {
            "type": "object",
            "required": ["consented", "recordedAt", "history"],
            "properties": {
             "consented": {"type": "boolean"},
             "recordedAt": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "history": {
              "type": "array",
              "description": "Oldest first, at most 1,000.",
              "items": {
               "type": "object",
               "required": ["consented", "recordedAt", "receivedAt"],
               "properties": {
                "consented": {"type": "boolean"},
                "recordedAt": {
                 "type": "integer",
                 "format": "int64",
                 "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                 "minimum": 1215648000000
                },
                "receivedAt": {
                 "type": "integer",
                 "format": "int64",
                 "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                 "minimum": 1215648000000
                },
                "wordingVersion": {"type": "string"},
                "wordingKept": {
                 "type": "boolean",
                 "description": "Whether the text of that version is kept here."
                },
                "source": {"type": "string"}
               }
              }
             }
            }
           },
           "Usage": {
            "type": "object",
            "additionalProperties": false,
            "required": ["observedAt"],
            "properties": {
             "deliveryStatus": {
              "type": "string",
              "enum": [
               "DELIVERED",
               "UNDELIVERED_QUALITY_ISSUE",
               "UNDELIVERED_WRONG_ITEM",
               "UNDELIVERED_SERVER_OUTAGE",
               "UNDELIVERED_OTHER"
              ]
             },
             "consumptionPercentage": {"type": "integer", "minimum": 0, "maximum": 100000, "description": \#
        "Thousandths of a percent."},
             "sampleContentProvided": {"type": "boolean"},
             "creditsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
             "creditsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
             "itemsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
             "itemsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
             "observedAt": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             }
            }
           },
           "UsageState": {
            "type": "object",
            "required": ["transactionId", "observedAt"],
            "properties": {
             "transactionId": {"type": "string"},
             "deliveryStatus": {
              "type": "string",
              "enum": [
               "DELIVERED",
               "UNDELIVERED_QUALITY_ISSUE",
               "UNDELIVERED_WRONG_ITEM",
               "UNDELIVERED_SERVER_OUTAGE",
               "UNDELIVERED_OTHER"
              ]
             },
             "consumptionPercentage": {"type": "integer", "minimum": 0, "maximum": 100000, "description": \#
        "Thousandths of a percent."},
             "sampleContentProvided": {"type": "boolean"},
             "creditsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
             "creditsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
             "itemsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
             "itemsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
             "observedAt": {
              "type": "object",
              "description": "When each member was observed.",
              "properties": {
               "deliveryStatus": {
                "type": "integer",
                "format": "int64",
                "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                "minimum": 1215648000000
               },
               "consumptionPercentage": {
                "type": "integer",
                "format": "int64",
                "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                "minimum": 1215648000000
               },
               "sampleContentProvided": {
                "type": "integer",
                "format": "int64",
                "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                "minimum": 1215648000000
               },
               "credits": {"type": "integer", "format": "int64", "minimum": 1215648000000},
               "items": {"type": "integer", "format": "int64", "minimum": 1215648000000}
              }
             }
            }
           },
           "UsageBatch": {
            "type": "object",
            "additionalProperties": false,
            "required": ["usage"],
            "properties": {
             "usage": {
              "type": "array",
              "maxItems": 1000,
              "items": {
               "type": "object",
               "additionalProperties": false,
               "required": ["transactionId", "observedAt"],
               "properties": {
                "transactionId": {"type": "string", "pattern": "^[0-9]{1,20}$"},
                "deliveryStatus": {
                 "type": "string",
                 "enum": [
                  "DELIVERED",
                  "UNDELIVERED_QUALITY_ISSUE",
                  "UNDELIVERED_WRONG_ITEM",
                  "UNDELIVERED_SERVER_OUTAGE",
                  "UNDELIVERED_OTHER"
                 ]
                },
                "consumptionPercentage": {"type": "integer", "minimum": 0, "maximum": 100000, "description": \#
        "Thousandths of a percent."},
                "sampleContentProvided": {"type": "boolean"},
                "creditsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
                "creditsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
                "itemsUsed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000000000000},
                "itemsGranted": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000000},
                "observedAt": {
                 "type": "integer",
                 "format": "int64",
                 "description": "Milliseconds since 1970-01-01T00:00:00Z.",
                 "minimum": 1215648000000
                }
               }
              }
             }
            }
           },
           "UsageBatchResult": {
            "type": "object",
            "required": ["results"],
            "properties": {
             "results": {
              "type": "array",
              "items": {
               "type": "object",
               "required": ["transactionId", "stored"],
               "properties": {
                "transactionId": {"type": ["string", "null"]},
                "stored": {"type": "boolean"},
                "error": {"type": "string"}
               }
              }
             }
            }
           },
           "Case": {
            "type": "object",
            "required": [
             "id",
             "bundleId",
             "environment",
             "rehearsal",
             "transactionId",
             "originalTransactionId",
             "productId",
             "state",
             "outcome",
             "requests"
            ],
            "properties": {
             "id": {"type": "string", "format": "uuid"},
             "bundleId": {"type": "string"},
             "environment": {"type": "string", "enum": ["Production", "Sandbox"]},
             "rehearsal": {
              "type": "boolean",
              "description": "Whether the app was made to rehearse with: a simulator stands in Apple's place, \#
        and the case is to be in no total."
             },
             "transactionId": {"type": "string"},
             "originalTransactionId": {"type": "string"},
             "productId": {"type": "string"},
             "appAccountToken": {"type": "string"},
             "price": {"type": "integer", "format": "int64", "description": "Thousandths of the currency's unit."},
             "currency": {"type": "string"},
             "purchaseDate": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "state": {
              "type": "string",
              "enum": ["open", "held", "answered", "withheld", "refused", "missed", "overtaken", "unasked", \#
        "imported"]
             },
             "stateReason": {"type": "string"},
             "outcome": {"type": "string", "enum": ["pending", "refunded", "declined", "reversed", "unheard"]},
             "reason": {"type": "string", "description": "consumptionRequestReason as Apple wrote it."},
             "deadline": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "late": {"type": "boolean"},
             "heldUntil": {
              "type": "integer",
              "format": "int64",
              "description": "While the state is held: when what is prepared goes out by itself."
             },
             "policyVersion": {
              "type": "integer",
              "description": "The version of the app's policy that decided; absent where it has none."
             },
             "assigned": {"type": "boolean", "description": "Whether somebody looks after the case."},
             "deliveries": {"type": "integer", "description": "How often Apple sent its newest request."},
             "reply": {"$ref": "#/components/schemas/Reply"},
             "revocation": {"$ref": "#/components/schemas/Revocation"},
             "requests": {"type": "array", "items": {"$ref": "#/components/schemas/Request"}},
             "namedCustomer": {"$ref": "#/components/schemas/NamedCustomer"}
            }
           },
           \#(answerSchemas),
           \#(customerSchemas),
           \#(overrideSchemas),
           "CasePage": {
            "type": "object",
            "required": ["cases"],
            "properties": {
             "cases": {"type": "array", "items": {"$ref": "#/components/schemas/Case"}},
             "nextCursor": {"type": "string", "description": "Absent on the last page."}
            }
           },
           "Request": {
            "type": "object",
            "required": ["notificationUUID", "signedDate", "deadline", "deliveries", "state"],
            "properties": {
             "notificationUUID": {"type": "string"},
             "signedDate": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "deadline": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "deliveries": {"type": "integer"},
             "state": {"type": "string"},
             "stateReason": {"type": "string"},
             "reason": {"type": "string"},
             "late": {"type": "boolean"},
             "receivedAt": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "decision": {"type": "object"},
             "heldUntil": {"type": "integer", "format": "int64"},
             "hold": {"$ref": "#/components/schemas/Hold"},
             "callback": {"$ref": "#/components/schemas/Callback"},
             "reply": {"$ref": "#/components/schemas/Reply"}
            }
           },
           "Callback": {
            "type": "object",
            "description": "What the app's server was asked about the request; of a single case alone.",
            "required": ["state", "askedAt", "waitUntil", "tries", "attempts"],
            "properties": {
             "state": {"type": "string", "enum": ["waiting", "answered", "refused", "silent", "ended"]},
             "askedAt": {"type": "integer", "format": "int64"},
             "waitUntil": {"type": "integer", "format": "int64", "description": "Until when the reply waits for it."},
             "endedAt": {"type": "integer", "format": "int64"},
             "tries": {"type": "integer"},
             "attempts": {
              "type": "array",
              "items": {
               "type": "object",
               "required": ["number", "startedAt"],
               "properties": {
                "number": {"type": "integer"},
                "startedAt": {"type": "integer", "format": "int64"},
                "endedAt": {"type": "integer", "format": "int64"},
                "result": {
                 "type": "string",
                 "enum": ["answered", "refused", "failed", "unknown"],
                 "description": "Absent while it is under way; unknown where the process that asked ended first."
                },
                "status": {"type": "integer"},
                "trouble": {"type": "string"}
               }
              }
             }
            }
           },
           "Reply": {
            "type": "object",
            "required": ["body", "attempts"],
            "properties": {
             "version": {"type": "integer", "enum": [1, 2]},
             "body": {"type": "string", "description": "What was sent, to the byte."},
             "status": {"type": "integer"},
             "sentAt": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "attempts": {"type": "array", "items": {"type": "object"}}
            }
           },
           "Revocation": {
            "type": "object",
            "required": ["date"],
            "properties": {
             "date": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "reason": {"type": "integer"},
             "type": {"type": "string"},
             "percentage": {"type": "integer"},
             "items": {"type": "array", "items": {"type": "object"}}
            }
           },
           "TimelineEntry": {
            "type": "object",
            "required": ["at", "kind"],
            "properties": {
             "at": {
              "type": "integer",
              "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z.",
              "minimum": 1215648000000
             },
             "kind": {"type": "string"}
            }
           }
          }
         }
        }
        """#
}
