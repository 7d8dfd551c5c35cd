import Refunds
import Tenants

/// A whole document: head, navigation, content.
struct Layout {
    let frame: Frame
    /// Stands in the browser's tab before the name of the desk.
    let title: String

    init(_ frame: Frame, title: String) {
        self.frame = frame
        self.title = title
    }

    /// A page of the console, with its navigation.
    func console(@HTMLBuilder _ content: Content) -> HTML {
        whole {
            body(.class("console")) {
                a(.class("skip"), .href(fragment: "content")) { "Skip to the content" }
                Navigation(frame: frame).html
                main(.id("content"), .class("content"), .tabindex(-1)) {
                    alert
                    content()
                }
            }
        }
    }

    /// The line that stands on every page while something critical is open.
    @HTMLBuilder private var alert: HTML {
        if let slug = frame.tenant?.slug ?? (frame.alert == .calm ? nil : Membership.installation.slug),
            frame.place != .alerts
        {
            switch frame.alert {
            case .calm: HTML.empty
            case .critical(let title, let count):
                div(.class("notice", Tone.bad), .role("alert")) {
                    p {
                        strong { title }
                        " "
                        a(.href(.alerts(slug))) { count > 1 ? "\(count) critical alerts are open" : "Open the alert" }
                    }
                }
            case .nobodyIsTold:
                div(.class("notice", Tone.bad), .role("alert")) {
                    p {
                        strong { "Whatever goes wrong, nobody is told." }
                        " "
                        a(.href(.channels(slug))) { "Look at the channels" }
                    }
                }
            }
        }
    }

    /// A page with one thing to do, in the middle: signing in, a problem.
    func lone(@HTMLBuilder _ content: Content) -> HTML {
        whole {
            body(.class("lone")) {
                main(.id("content"), .class("lone-content")) {
                    div(.class("lone-brand")) {
                        Icon.desk.html
                        "Refund Desk"
                    }
                    content()
                }
            }
        }
    }

    private func whole(@HTMLBuilder _ content: Content) -> HTML {
        document {
            Web.head {
                meta(.charset("utf-8"))
                Web.title("\(title) · Refund Desk")
                meta(.name("viewport"), .content("width=device-width, initial-scale=1"))
                meta(.name("color-scheme"), .content("light dark"))
                meta(.name("robots"), .content("noindex, nofollow"))
                if let icon = frame.assets.icon { link(.rel("icon"), .href(asset: icon), .type("image/svg+xml")) }
                for sheet in frame.assets.styleSheets { link(.rel("stylesheet"), .href(asset: sheet)) }
                for script in frame.assets.scripts { deferredScript(asset: script) }
            }
            content()
        }
    }
}
