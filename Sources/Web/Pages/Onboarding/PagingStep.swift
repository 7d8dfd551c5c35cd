import Refunds
import Tenants

/// Step 7: who is called when something stops replies from going out.
struct PagingStep {
    let page: SetupPage

    /// Those that hear of this app.
    private var channels: [Channel] {
        page.channels.filter { $0.apps.isEmpty || $0.apps.contains(page.model.app.id) }
    }

    var html: HTML {
        Step(.paging, of: page, lead: lead) {
            if !page.model.app.isRehearsal {
                if !channels.isEmpty {
                    ul(.class("plain-list")) {
                        for channel in channels {
                            li {
                                NameText(channel.name).html
                                " (\(channel.kind.name)) "
                                AlertWords.standing(channel).html
                            }
                        }
                    }
                }
                if page.canChange {
                    p { a(.href(.channels(page.slug))) { channels.isEmpty ? "Add a channel" : "Channels" } }
                }
            }
        }.html
    }

    private var lead: String {
        if page.model.app.isRehearsal { return "A rehearsal pages nobody." }
        return channels.isEmpty
            ? "Nobody is called yet. One channel is enough: PagerDuty, Slack, e-mail and others."
            : "When something stops replies from going out, these hear of it while there is time. Press Test once a month."
    }
}
