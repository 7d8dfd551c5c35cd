import Refunds
import Tenants

/// What can be done with a request now, by who looks.
struct CommerceActions {
    let page: CommerceRequestPage

    private var request: CommerceRequest { page.story.request }

    var html: HTML {
        guard page.frame.canAsk, page.app?.isRemoved == false else { return .empty }
        let takesBack = request.mayBeTakenBack
        switch request.state {
        case .draft:
            return form(.class("stack"), .post, .action(.commerceSubmission(page.slug, request.id))) {
                SecondLook(warnings: page.warnings, isUnseen: !page.warnings.isEmpty).html
                div(.class("step-actions")) {
                    button(.class("button button-main"), .type("submit")) {
                        request.needsApproval ? "Hand in for approval" : "Hand in"
                    }
                }
            }
            .and(takeBack)
        case .awaitingApproval where page.story.needsNobody:
            return form(.class("stack"), .post, .action(.commerceSubmission(page.slug, request.id))) {
                SecondLook(warnings: page.warnings, isUnseen: !page.warnings.isEmpty).html
                div(.class("step-actions")) {
                    button(.class("button button-main"), .type("submit")) { "Hand in and send" }
                }
            }
            .and(takeBack)
        case .awaitingApproval:
            if request.askedBy == page.me {
                return p(.class("quiet")) { "You asked for it, so somebody else has to approve it." }.and(takeBack)
            }
            return form(.post, .action(.commerceApproval(page.slug, request.id))) {
                button(.class("button button-main"), .type("submit")) { "Approve and send" }
            }
            .and(takeBack)
        default: return takesBack ? takeBack : .empty
        }
    }

    private var takeBack: HTML {
        form(.post, .action(.commerceWithdrawal(page.slug, request.id))) {
            button(.class("button"), .type("submit")) { "Take it back" }
        }
    }
}
