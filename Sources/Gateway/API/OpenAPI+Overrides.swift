extension OpenAPI {
    /// The calls about customers with an answer of their own.
    static let overridePaths = #"""
        "/api/v1/apps/{bundleId}/overrides": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}],
           "get": {
            "operationId": "listOverrides",
            "summary": "Customers with an answer of their own, newest first",
            "description": "Those whose time is over are among them, with `counts` false.",
            "x-scope": "answers",
            "parameters": [
             {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}},
             {
              "name": "cursor",
              "in": "query",
              "description": "nextCursor of the page before.",
              "schema": {"type": "string"}
             }
            ],
            "responses": {
             "200": {
              "description": "A page of them.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OverridePage"}}}
             },
             "400": {"$ref": "#/components/responses/BadRequest"},
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          },
          "/api/v1/apps/{bundleId}/customers/{appAccountToken}/override": {
           "parameters": [{"$ref": "#/components/parameters/bundleId"}, {"$ref": \#
        "#/components/parameters/appAccountToken"}],
           "put": {
            "operationId": "putOverride",
            "summary": "Fix what is answered to a customer",
            "description": "It goes before every rule of the app's policy from the next decision on; consent, family \#
        members' copies and Apple's own rules go before it (docs/policies.md). In place of another one it is fixed only for \#
        who names that one in `replaces`.",
            "x-scope": "answers",
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewOverride"}}}
            },
            "responses": {
             "200": {
              "description": "What is fixed now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Override"}}}
             },
             "409": {
              "description": "Something else is fixed than `replaces` says. Nothing was changed.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "422": {
              "description": "The reason is empty, or the time is over: `member` names where.",
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
           },
           "delete": {
            "operationId": "deleteOverride",
            "summary": "Let the rules decide about a customer again",
            "x-scope": "answers",
            "responses": {
             "200": {
              "description": "What was fixed until now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Override"}}}
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          }
        """#

    static let overrideSchemas = #"""
        "NewOverride": {
            "type": "object",
            "additionalProperties": false,
            "required": ["action", "reason"],
            "properties": {
             "action": {
              "type": "string",
              "enum": ["DECLINE", "GRANT_FULL", "GRANT_PRORATED", "facts-only", "nothing", "hold"],
              "description": "hold: a person is asked, and the facts go out if nobody answers."
             },
             "reason": {
              "type": "string", "minLength": 1, "maxLength": 1000,
              "description": "Why. It stands on each of the customer's cases, and is not sent to Apple."
             },
             "until": {
              "type": "integer", "format": "int64",
              "description": "Milliseconds since 1970-01-01T00:00:00Z from which it counts no more; without it: for ever."
             },
             "replaces": {"type": "string", "format": "uuid", "description": "The id of what is fixed until now."},
             "setBy": {
              "type": "string", "minLength": 1, "maxLength": 200,
              "description": "Who fixed it, for people who look at it."
             }
            }
           },
           "Override": {
            "type": "object",
            "required": ["id", "appAccountToken", "action", "reason", "setBy", "setAt", "counts"],
            "properties": {
             "id": {"type": "string", "format": "uuid"},
             "appAccountToken": {"type": "string"},
             "action": {"type": "string"},
             "reason": {"type": "string"},
             "setBy": {"type": "string"},
             "setAt": {"type": "integer", "format": "int64"},
             "until": {"type": "integer", "format": "int64"},
             "counts": {"type": "boolean", "description": "Whether its time is not over."}
            }
           },
           "OverridePage": {
            "type": "object",
            "required": ["overrides"],
            "properties": {
             "overrides": {"type": "array", "items": {"$ref": "#/components/schemas/Override"}},
             "nextCursor": {"type": "string", "description": "Absent on the last page."}
            }
           }
        """#
}
