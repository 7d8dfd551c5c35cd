extension OpenAPI {
    /// The calls that say whose purchase a case is about.
    static let customerPath = #"""
        "/api/v1/cases/{caseId}/customer": {
           "parameters": [
            {
             "name": "caseId",
             "in": "path",
             "required": true,
             "description": "The case's id.",
             "schema": {"type": "string", "format": "uuid"}
            }
           ],
           "put": {
            "operationId": "nameCustomer",
            "summary": "Say who the customer of a purchase is that names none",
            "description": "For this case and every later one of the same originalTransactionId. Only where neither the \#
        purchase, nor another transaction of it or of the same Apple account, nor your server when it was asked names one. \#
        Requests that were withheld and have time left are decided anew; consent that was given after a request does not \#
        count for it.",
            "x-scope": "answers",
            "requestBody": {
             "required": true,
             "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomerNaming"}}}
            },
            "responses": {
             "200": {
              "description": "The case as it is now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Case"}}}
             },
             "409": {
              "description": "Somebody chose a customer before. Nothing was changed.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "422": {
              "description": "The customer is known already, or the note is none: `member` names where.",
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
            "operationId": "unnameCustomer",
            "summary": "Take back whom a person chose",
            "description": "What was sent stays as it is; what was not is decided without it.",
            "x-scope": "answers",
            "responses": {
             "200": {
              "description": "The case as it is now.",
              "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Case"}}}
             },
             "409": {
              "description": "Nobody chose one, or it was taken back meanwhile.",
              "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
             },
             "401": {"$ref": "#/components/responses/Unauthorized"},
             "403": {"$ref": "#/components/responses/Forbidden"},
             "404": {"$ref": "#/components/responses/NotFound"},
             "503": {"$ref": "#/components/responses/Unavailable"}
            }
           }
          }
        """#

    static let customerSchemas = #"""
        "CustomerNaming": {
            "type": "object",
            "additionalProperties": false,
            "required": ["appAccountToken", "note"],
            "properties": {
             "appAccountToken": {"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36},
             "note": {
              "type": "string", "minLength": 1, "maxLength": 1000,
              "description": "Why. It stays with the case, and is not sent to Apple."
             },
             "namedBy": {
              "type": "string", "minLength": 1, "maxLength": 200,
              "description": "Who found out, for people who look at the case."
             }
            }
           },
           "NamedCustomer": {
            "type": "object",
            "required": ["appAccountToken", "source", "namedBy", "at"],
            "description": "Who was named as the customer of a purchase that names none; on a case that is read by itself.",
            "properties": {
             "appAccountToken": {"type": "string"},
             "source": {"type": "string", "enum": ["callback", "person"]},
             "note": {"type": "string"},
             "namedBy": {"type": "string"},
             "at": {"type": "integer", "format": "int64"}
            }
           }
        """#
}
