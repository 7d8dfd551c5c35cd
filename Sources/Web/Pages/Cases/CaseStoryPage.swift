import Refunds
import Time

/// The whole of one case: what happened in order, what we knew, what we decided and by which rule, what
/// we sent to the byte, what Apple answered and decided.
struct CaseStoryPage {
    let frame: Frame
    let slug: String
    let story: CaseStory
    let now: Moment
    /// Nil for purchases about which Apple can be asked nothing.
    var commerce: CaseCommerce?
    /// Set while the newest request waits for a person.
    var held: HeldForm?
    /// What people do about it; nil where only the story is drawn.
    var work: CaseWork?
    /// On what consent its replies rest.
    var consent: ConsentSection?
    var beside: CaseBesidePanel?
    var notice: Notice?

    var html: HTML {
        Layout(frame, title: "\(story.line.productID), \(story.line.transactionID)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.cases(slug, CaseListQuery()))) { "Cases" }
            }
            PageHeader(
                story.line.productID,
                lead: {
                    span(.class("mono")) { story.line.transactionID }
                    " · "
                    story.appName
                    if let badge = Badge.environment(
                        isRehearsal: story.isRehearsal, isSandbox: story.line.isSandbox)
                    {
                        " "
                        badge.html
                    }
                },
                beside: {
                    Badge(story.line.state).html
                    if story.line.outcome != .pending { Badge(story.line.outcome).html }
                }
            ).html
            if let notice { notice.html }
            CaseVerdict(story: story, now: now, isOurs: commerce?.broughtRefund ?? false).html
            div(.class("split")) {
                div(.class("split-main")) {
                    if let held { held.html }
                    timeline
                    if let work { work.main }
                    EvidenceSection(story: story, now: now).html
                    if let commerce { commerce.html(slug) }
                    for (index, round) in story.rounds.enumerated() {
                        CaseRound(
                            slug: slug, round: round, number: story.rounds.count - index, of: story.rounds.count,
                            type: story.purchase?.type, evidence: index == 0 ? EvidenceSection.id : nil, now: now
                        )
                        .html
                    }
                    if let consent { consent.html }
                }
                aside(.class("split-side"), .ariaLabel("The purchase")) {
                    if let work { work.assignment }
                    purchase
                    if let beside { beside.html }
                    if story.revocation != nil || story.purchase?.revokedAt != nil { revocation }
                    if let items = story.purchase?.items, !items.isEmpty { itemList(items) }
                    if !story.others.isEmpty { others }
                    notifications
                    if let work { work.download }
                }
            }
        }
    }

    private var others: HTML {
        section(.class("panel"), .ariaLabelledBy("others")) {
            h2(.id("others")) { "The same customer" }
            ul(.class("plain-list")) {
                for line in story.others {
                    li {
                        a(.href(.refundCase(slug, line.id))) { NameText(line.productID).html }
                        " "
                        Badge(line.state).html
                        if line.outcome != .pending { Badge(line.outcome).html }
                        span(.class("subtext")) {
                            TimeText(line.listedAt).shortHTML
                            if let price = line.price {
                                ", "
                                MoneyText(milliunits: price, currency: line.currency).html
                            }
                            if line.customer == nil || line.customer != story.line.customer {
                                ", the same purchase"
                            }
                        }
                    }
                }
            }
        }
    }

    private var timeline: HTML {
        section(.class("panel"), .ariaLabelledBy("what-happened")) {
            h2(.id("what-happened")) { "What happened" }
            ol(.class("timeline")) {
                for entry in story.timeline {
                    CaseTimelineItem(
                        entry: entry, slug: slug, notifications: story.notifications, people: work?.people ?? [:]
                    ).html
                }
            }
        }
    }

    private var purchase: HTML {
        let line = story.line
        let bought = story.purchase
        return section(.class("panel"), .ariaLabelledBy("purchase")) {
            h2(.id("purchase")) { "Purchase" }
            Facts([
                ("productId", NameText(line.productID).html),
                ("Price", line.price.map { MoneyText(milliunits: $0, currency: line.currency).html }),
                ("Type", bought?.type.map { HTML(text: $0) }),
                ("Bought", bought?.purchasedAt.map { TimeText($0).fullHTML }),
                ("Expires", bought?.expiresAt.map { TimeText($0).fullHTML }),
                ("transactionId", mono(line.transactionID)),
                (
                    "originalTransactionId",
                    line.originalTransactionID == line.transactionID ? nil : mono(line.originalTransactionID)
                ),
                (
                    "appAccountToken",
                    line.customer.map(customer) ?? HTML(text: "buyer unknown: the app set no token")
                ),
                ("Ownership", bought?.ownership.map { HTML(text: $0) }),
                ("Storefront", bought?.storefront.map { HTML(text: $0) }),
                ("App", NameText(story.bundleID).html),
                (
                    "Environment",
                    HTML(text: story.isRehearsal ? EnvironmentChoice.rehearsal : line.environment)
                ),
                (
                    "Remark",
                    bought?.isBundleIDMissing == true
                        ? HTML(text: "Apple's record of this old purchase names no bundle ID.") : nil
                ),
            ]).html
        }
    }

    private func mono(_ text: String) -> HTML { span(.class("mono")) { text } }

    /// A token that leads to everything of its customer.
    private func customer(_ token: String) -> HTML {
        var query = CaseListQuery()
        query.lookUp = token
        return a(.class("mono"), .href(.cases(slug, query))) { token }
    }

    private var revocation: HTML {
        let fact = story.revocation
        let type = fact?.revocationType ?? story.purchase?.revocationType
        let share = fact?.revocationShare ?? story.purchase?.revocationShare
        return section(.class("panel"), .ariaLabelledBy("revocation")) {
            h2(.id("revocation")) { "Refund" }
            Facts([
                ("revocationDate", (fact?.revokedAt ?? story.purchase?.revokedAt).map { TimeText($0).fullHTML }),
                ("Kind", type.map { HTML(text: $0) }),
                ("Share", share.map { HTML(text: ShareText.text($0)) }),
                ("Amount", amount(type: type, share: share)),
                (
                    "revocationReason",
                    (fact?.revocationReason ?? story.purchase?.revocationReason).map {
                        HTML(text: $0 == 1 ? "1, a problem in the app" : $0 == 0 ? "0, another reason" : "\($0)")
                    }
                ),
            ]).html
        }
    }

    /// What went back: item by item where Apple says so, else the share of the price. Apple's own figures are for
    /// accounting, this is not.
    private func amount(type: String?, share: Int?) -> HTML? {
        let byItem = (story.purchase?.items ?? []).compactMap(\.refundedAmount)
        if !byItem.isEmpty { return money(byItem.reduce(0) { $0.addingReportingOverflow($1).partialValue }) }
        guard let price = story.line.price else { return nil }
        switch type {
        case nil, "REFUND_FULL": return share == nil || share == 100_000 ? money(price) : nil
        case "REFUND_PRORATED":
            // Thousandths times at most 100,000 stay far below 64 bits for any price Apple allows.
            let (product, overflow) = price.multipliedReportingOverflow(by: Int64(share ?? 0))
            return share == nil || overflow ? HTML(text: "uncertain") : money(product / 100_000)
        default: return HTML(text: "uncertain")
        }
    }

    private func money(_ milliunits: Int64) -> HTML {
        MoneyText(milliunits: milliunits, currency: story.line.currency).html
    }

    private func itemList(_ items: [CaseStory.Item]) -> HTML {
        section(.class("panel"), .ariaLabelledBy("items")) {
            h2(.id("items")) { "Items" }
            ul(.class("plain-list")) {
                for item in items {
                    li {
                        span(.class("mono")) { item.sku }
                        if let name = item.name { " \(name)" }
                        if let price = item.price {
                            " "
                            MoneyText(milliunits: price, currency: story.line.currency).html
                        }
                        if let refunded = item.refundedAmount {
                            ", refunded "
                            MoneyText(milliunits: refunded, currency: story.line.currency).html
                        }
                        if let revokedAt = item.revokedAt {
                            span(.class("subtext")) {
                                "revoked "
                                TimeText(revokedAt).shortHTML
                            }
                        }
                    }
                }
            }
        }
    }

    private var notifications: HTML {
        if story.notifications.isEmpty { return .empty }
        return section(.class("panel"), .ariaLabelledBy("signed")) {
            h2(.id("signed")) { "Signed by Apple" }
            ul(.class("plain-list")) {
                for line in story.notifications {
                    li {
                        a(.class("mono"), .href(.notification(slug, line.id))) { line.type }
                        span(.class("subtext")) {
                            TimeText(line.signedAt).shortHTML
                            if line.deliveries > 1 { ", delivered \(line.deliveries) times" }
                        }
                    }
                }
            }
        }
    }
}
