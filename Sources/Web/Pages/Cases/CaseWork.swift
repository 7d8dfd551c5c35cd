import FoundationEssentials
import Refunds
import Tenants

/// What people do about a case beside answering it: look after it, write notes, write to the customer, take the evidence.
struct CaseWork {
    let slug: String
    let story: CaseStory
    /// Addresses of those who wrote or did something.
    let people: [UUID: String]
    /// To whom it can be given.
    let members: [MemberName]
    let me: PersonID
    let canWork: Bool
    let letter: CustomerText
    /// What was typed in a form that was not taken, by its field.
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]

    private var notes: [(remark: CaseStory.Remark, text: String)] {
        story.remarks.compactMap { remark in CaseNote.text(of: remark).map { (remark, $0) } }
    }

    // MARK: In the column of the story

    @HTMLBuilder var main: HTML {
        noteList
        letters
    }

    @HTMLBuilder private var noteList: HTML {
        if canWork || !notes.isEmpty {
            section(.class("panel"), .id("notes"), .ariaLabelledBy("notes-title")) {
                h2(.id("notes-title")) { "Notes" }
                if notes.isEmpty { p(.class("quiet")) { "Nobody wrote anything yet." } }
                ul(.class("plain-list")) {
                    for note in notes {
                        li {
                            p(.class("note-text")) { note.text }
                            span(.class("subtext")) {
                                note.remark.person.flatMap { people[$0] } ?? "somebody who is gone"
                                ", "
                                TimeText(note.remark.at).fullHTML
                            }
                        }
                    }
                }
                if canWork {
                    form(.class("step-form"), .post, .action(.caseNote(slug, story.line.id))) {
                        TextArea(
                            label: "New note", name: "note", text: typed["note"] ?? "", rows: 3,
                            help:
                                "For your team. It cannot be changed or taken away later, and is never sent to Apple.",
                            error: wrong["note"]
                        ).html
                        button(.class("button"), .type("submit")) { "Add the note" }
                    }
                }
            }
        }
    }

    private var letters: HTML {
        section(.class("panel"), .ariaLabelledBy("letter")) {
            h2(.id("letter")) { "To the customer" }
            p(.class("quiet")) {
                "A text to copy, as the case stands now. It says what the customer knows or may know, and nothing of what was decided here."
            }
            for language in AlertLanguage.allCases {
                details(.class("letter")) {
                    summary { language.name }
                    textarea(
                        [
                            .class("input input-text"), .id("letter-\(language.rawValue)"), .rows(9), .readonly,
                            .lang(code: language.rawValue),
                            .ariaLabel("Text to the customer, \(language.name)"),
                        ], text: letter.text(in: language))
                    button(.class("button"), .type("button"), .copies("letter-\(language.rawValue)"), .hidden) {
                        "Copy"
                    }
                }
            }
        }
    }

    // MARK: At the side

    var assignment: HTML {
        section(.class("panel"), .id("assignment"), .ariaLabelledBy("assignment-title")) {
            h2(.id("assignment-title")) { "Looked after by" }
            if canWork {
                form(.class("step-form"), .post, .action(.caseAssignment(slug, story.line.id))) {
                    Field(
                        "Person", name: "assignee", choices: choices, selected: story.line.assignee?.text,
                        error: wrong["assignee"]
                    ).html
                    button(.class("button"), .type("submit")) { "Assign" }
                }
                if story.line.assignee != me.rawValue {
                    form(.post, .action(.caseAssignment(slug, story.line.id))) {
                        input(.type("hidden"), .name("assignee"), .value(me.rawValue.text))
                        button(.class("button"), .type("submit")) { "I look after it" }
                    }
                }
            } else {
                p { story.line.assignee.map { people[$0] ?? "somebody who is gone" } ?? "nobody" }
            }
        }
    }

    private var choices: [(value: String, text: String)] {
        [("", "Nobody")]
            + members.map { member in
                (member.id.rawValue.text, member.id == me ? "\(member.email) (you)" : member.email)
            }
    }

    @HTMLBuilder var download: HTML {
        if canWork {
            section(.class("panel"), .ariaLabelledBy("evidence-file")) {
                h2(.id("evidence-file")) { "Evidence in one file" }
                p(.class("quiet")) {
                    "What Apple signed, what was known, the policy, what was sent and answered. It can be checked without this installation. That you took it stands in the audit log."
                }
                form(.post, .action(.caseBundle(slug, story.line.id))) {
                    button(.class("button"), .type("submit")) { "Download" }
                }
            }
        }
    }
}
