import Refunds

/// What became of each row of a file.
struct UploadReport {
    /// Rows that are listed one by one.
    static let listedMax = 1000

    let upload: FileUpload
    /// What the rows are about: the heading of its column.
    let subject: String

    /// What came of it, in a sentence.
    static func notice(_ upload: FileUpload) -> Notice {
        let all = upload.lines.count
        if upload.refused.isEmpty {
            return Notice(.good, all == 0 ? "The file has no rows." : "All \(all) rows were stored.")
        }
        return Notice(
            .attention, "\(upload.stored) of \(all) rows were stored.",
            more: "The others are listed below, each with its reason. Put them right and send them again.")
    }

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("report-title")) {
            h2(.id("report-title")) { "What became of the rows" }
            Facts([
                ("Stored", HTML(text: "\(upload.stored)")), ("Not stored", HTML(text: "\(upload.refused.count)")),
                ("Lines stored", upload.stored == 0 ? nil : HTML(text: Self.ranges(upload))),
            ]).html
            if !upload.refused.isEmpty {
                DataTable(
                    caption: "Rows that were not stored",
                    columns: [
                        .init("Line", isNumber: true) { line in span { "\(line.number)" } },
                        .init(subject) { line in
                            if line.subject.isEmpty {
                                span(.class("quiet")) { "–" }
                            } else {
                                span(.class("mono")) { NameText(line.subject).html }
                            }
                        },
                        .init("Why not") { line in span { Words.sentence(line.error ?? "") } },
                    ], rows: Array(upload.refused.prefix(Self.listedMax))
                ).html
                if upload.refused.count > Self.listedMax {
                    p(.class("quiet")) { "The first \(Self.listedMax) of \(upload.refused.count) are listed." }
                }
            }
        }
    }

    /// `2–40, 42`: rows that follow each other in the file are one range.
    static func ranges(_ upload: FileUpload) -> String {
        var ranges: [(first: Int, last: Int)] = []
        var isRunning = false
        for line in upload.lines {
            guard line.error == nil else {
                isRunning = false
                continue
            }
            if isRunning, let last = ranges.indices.last {
                ranges[last].last = line.number
            } else {
                ranges.append((line.number, line.number))
            }
            isRunning = true
        }
        let shown = ranges.prefix(200).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)–\($0.last)" }
        return shown.joined(separator: ", ") + (ranges.count > 200 ? ", …" : "")
    }
}
