extension OpenAPI {
    /// The call that answers a request which waits for a person.
    static let answerPath = #"""
        "/api/v1/cases/{caseId}/answer": {
           "post": {
            "operationId": "answerCase",
            "summary": "Answer a request that waits for a person",
            "description": "What somebody decided, told by your own server. It goes to Apple at once, and is said once: the second \#
        answer is refused with 409. A request waits while the case's state is held; heldUntil says for how long. Name the request that \#
        was decided about as notificationUUID: Apple may ask again meanwhile.",
            "x-scope": "answers",
            "parameters": [
             {
              "name": "caseId",
              "in": "path",
              "required": true,
              "description": "The case's id.",
              "schema": {"type": "string", "format": "uuid"}
             }
            ],
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
            },
            "responses": {
             "200": {
              "description": "The case as it is now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Case"}}}
             },
             "409": {
              "description": "Somebody answered before, the request waits for nobody any more, or Apple asked again since the one that \#
        `notificationUUID` names. Nothing was changed.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "422": {
              "description": "A rule of Apple's is broken: `member` names where.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "413": {"$ref": "#/components/responses/TooLarge"},
             "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          }
        """#

    static let answerSchemas = #"""
        "Answer": {
            "type": "object",
            "additionalProperties": false,
            "required": ["choice", "reason"],
            "properties": {
             "choice": {"type": "string", "enum": ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "facts-only", "nothing"]},
             "notificationUUID": {
              "type": "string", "format": "uuid",
              "description": "Which of the case's `requests` is answered. Where Apple asked again since, the answer is refused with \#
        409; without it, whichever request waits is answered."
             },
             "deliveryStatus": {
              "type": "string",
              "description": "What is known of the delivery; without it, what was reported stays.",
              "enum": [
               "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
               "UNDELIVERED_OTHER"
              ]
             },
             "consumptionPercentage": {"type": "integer", "minimum": 0, "maximum": 100000},
             "reason": {
              "type": "string", "minLength": 1, "maxLength": 1000,
              "description": "Why. It stays with the case, and is not sent to Apple."
             },
             "answeredBy": {
              "type": "string", "minLength": 1, "maxLength": 200,
              "description": "Who decided, for people who look at the case."
             }
            }
           },
           "Hold": {
            "type": "object",
            "required": ["until", "isHeld"],
            "description": "That a person is or was asked.",
            "properties": {
             "until": {"type": "integer", "format": "int64", "description": "When what is prepared goes out by itself."},
             "isHeld": {"type": "boolean"},
             "otherwise": {"type": "string", "description": "What is done if nobody answers, as policies write it."},
             "answeredAt": {"type": "integer", "format": "int64"},
             "answeredBy": {"type": "string"},
             "choice": {"type": "string"},
             "reason": {"type": "string"}
            }
           }
        """#
}
