import Journal
import Tenants

/// Giving an app the secret that its codes are made from.
struct GeneratorPage {
    let frame: Frame
    let generator: NewGenerator
    var isWrong = false

    var html: HTML {
        let uri = generator.uri.reveal()
        return Layout(frame, title: "Set up codes").console {
            PageHeader("Set up codes") { generator.name }.html
            section(.class("panel")) {
                h2 { "1. Give the secret to your app" }
                p { "Scan this with an app that makes codes, or type the secret in." }
                if let code = QRCode(uri) {
                    drawing("qr-code", side: code.sideWithBorder, path: code.path, label: "QR code of the secret below")
                }
                Facts([
                    ("Secret", span(.class("mono")) { Self.spaced(generator.secret.reveal()) }),
                    ("As an address", span(.class("mono")) { uri }),
                ]).html
            }
            section(.class("panel")) {
                h2 { "2. Show that it works" }
                form(.class("stack form-narrow"), .post, .action(.generator(generator.id))) {
                    Field(
                        "Code that the app shows now", name: "code",
                        error: isWrong
                            ? "That is not the code. Is the app's clock right? Take the next code." : nil,
                        .type("text"), .inputmode("numeric"), .autocomplete("one-time-code"), .required, .autofocus,
                        .maxlength(10)
                    ).html
                    button(.class("button button-main"), .type("submit")) { "Turn on" }
                }
                p { a(.href(.account)) { "Not now" } }
            }
        }
    }

    /// In groups of four, to be typed.
    private static func spaced(_ text: String) -> String {
        var out = ""
        for (index, letter) in text.enumerated() {
            if index > 0, index % 4 == 0 { out += " " }
            out.append(letter)
        }
        return out
    }
}
