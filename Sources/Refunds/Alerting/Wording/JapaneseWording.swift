import Time

struct JapaneseWording: Wording {
    let forms: LocalForms

    func said(_ sentence: IncidentSentence) -> SaidOfIncident {
        switch sentence {
        case .credentialsRefused(let key, let apps, let waiting):
            SaidOfIncident(
                "AppleがProductionでキー\(key)を拒否しています（\(list(apps))）。", effect(waiting),
                "\(apps.first ?? "アプリ")の設定ページを開いてください。Appleの拒否が何を意味しうるかが書かれています。そのうえで、Appleが受け付けるキーを追加してください。"
            )
        case .keyAbsent(let app, let waiting):
            SaidOfIncident(
                "\(app)には署名に使えるキーがありません。", effect(waiting), "アプリの設定ページでアプリ内課金のキーを追加してください。")
        case .sealedUnreadable(let subject, let isKey, let step):
            SaidOfIncident(
                "封印された秘密情報を開けません：\(subject)",
                isKey ? "これでは何も署名できません。必要とするリクエストは待機します。" : "これを必要とする機能は動きません。返信は続いています。", step)
        case .clockOff(let seconds):
            SaidOfIncident(
                "こちらの時計がAppleの時計より\(span(seconds: abs(seconds)))\(seconds > 0 ? "進んで" : "遅れて")います。",
                "時計がずれたまま署名された呼び出しを、Appleは誤ったキーと同じ401で拒否します。",
                "このマシンの時計をNTPで合わせてください。キーを変える必要はありません。")
        case .repliesFailing(let app, let said, let waiting):
            SaidOfIncident(
                "\(app)の返信が失敗しています：\(said.isEmpty ? "Appleが応答しません" : "Appleの応答は\(said)")",
                effect(waiting),
                "手で送る必要はありません。各返信は期限まで繰り返されます。developer.apple.com/system-statusと最新のケースを確認してください。")
        case .deadlineAtRisk(let app, let count, let left):
            SaidOfIncident(
                "\(app)の\(requests(count))が未回答で、残り\(span(seconds: left))です。",
                "最初の期限まで\(span(seconds: left))です。その後はAppleがこちら抜きで決定します。",
                "最初のケースを開いてください。返信が何を待っているかが書かれています。")
        case .deadlineMissed(let app, let count):
            SaidOfIncident(
                "この1日に、\(app)の\(requests(count))がこちらの返信なしに終わりました。", "Appleがこちら抜きで決定します。",
                "ケースを開いてください。間に合わなかった理由が書かれています。これは1日後に自動で閉じます。")
        case .commerceStopped(let app, let said, let waiting):
            SaidOfIncident(
                "\(app)のAdvanced Commerceの呼び出しが止まっています：\(said.isEmpty ? "Appleが1件を拒否しました" : "Appleの応答は\(said)")。契約の追補がないためかもしれません。",
                "\(forms.number(waiting))件の依頼が待っています。失われるものはありません。",
                "アプリのAdvanced Commerceのページを開き、Appleの応答を確認して、文面をAccount Holderに転送してください。")
        case .commerceFailing(let app, let count, let newest):
            SaidOfIncident(
                "この1日に、\(app)のAdvanced Commerceの依頼\(forms.number(count))件が失敗しました：\(newest)",
                "依頼された返金を顧客が待っています。", "失敗した依頼を開いてください。Appleのコードの意味と対処が書かれています。")
        case .notificationsRefused(let app, let count, let reason):
            SaidOfIncident(
                "2時間以内に\(app)宛ての通知\(forms.number(count))件を拒否しました：\(reason)", "本物の通知はこれまでどおり受け付けています。",
                "隔離ページを確認してください。それぞれの不備が書かれています。偽造であれば通知URLを変更してください。")
        case .versionOneArrives(let app):
            SaidOfIncident(
                "\(app)にバージョン1の通知が届いています。", "バージョン1には回答できるリクエストがありません。切り替えるまで何も回答されません。",
                "App Store ConnectのApp Information、App Store Server Notificationsでバージョン2を選んでください。")
        case .appleSilent(let app, let since, let gap, let why):
            SaidOfIncident(
                "\(time(milliseconds: since))以降、\(app)への通知がありません。",
                "ふだんの最長の間隔は\(span(seconds: gap))です。\(why ?? "要求したTEST通知も届いていません。") 返金リクエストを取りこぼしているおそれがあります。",
                "App Store Connectで通知URLがこちらのものであること、次に公開アドレスに外部から届くことを確認してください。")
        case .historyUnread(let app, let said):
            SaidOfIncident(
                "Appleの\(app)の通知履歴を最後まで読み取れません：\(said)",
                "Appleがここに届けられなかったものは、自然に届くまで分からないままです。",
                "Appleの応答を確認してください。数分ごとに再試行しています。")
        case .historyFetched(let app, let count):
            SaidOfIncident(
                "届いていなかった\(app)の通知\(forms.number(count))件をAppleの履歴から取得しました。",
                "届いたものとして処理します。期限を過ぎていたリクエストは回答できませんでした。",
                "こちらの障害で説明できない場合は、公開アドレスに外部から届くことを確認してください。最後の取得から1時間後に自動で閉じます。")
        case .relayFailing(let app, let said, let waiting):
            SaidOfIncident(
                "\(app)のもう一つの受信先が通知を受け取りません：\(said)",
                "\(forms.number(waiting))件の通知が最長3日待ちます。こちらの返信は続いています。", "受信先を直すか、アプリの設定ページでURLを変更してください。")
        case .callbackFailing(let app, let said, let without):
            SaidOfIncident(
                "\(app)のサーバーが返金リクエストについての問い合わせに答えません：\(said)",
                without == 0
                    ? "返信は持ち時間の半分まで答えを待ち、その後は分かっていることだけで送られます。"
                    : "\(forms.number(without))件のリクエストが、サーバーの情報なしに決定されました。返信は持ち時間の半分まで答えを待ちます。",
                "サーバーを直すか、アプリのEvidenceページでTestを押して答えを確認してください。次の答えで自動的に閉じます。")
        case .consentMissing(let app, let without, let all):
            SaidOfIncident(
                "\(app)の直近\(forms.number(all))件の返金リクエストのうち\(forms.number(without))件に、同意がないため回答しませんでした。",
                "Appleがこちら抜きで決定します。", "同意をAPIで報告するか、設定ページで全購入者について宣言してください。")
        case .consentRescinded(let app, let count):
            SaidOfIncident(
                "\(app)の顧客\(forms.number(count))人について、保護者が同意を取り消したとAppleが知らせました。",
                "誰かが決めるまで、その購入についてAppleには何も送りません。",
                "アプリのConsentページを開き、回答を再開するか、止めたままにするかを決めてください。")
        case .reasonDrift(let app, let reason, let place, let count, let usual):
            SaidOfIncident(
                "\(Self.place(place, of: app))返金リクエストが\(reason)を理由としています：1日に顧客\(forms.number(count))人",
                "ふだんは1日\(forms.number(usual))人です。アプリの何かが壊れているかもしれません。",
                "該当する最新のケースを開き、アプリやサーバーで何が変わったかを確認してください。")
        case .developerIssues(let app, let place, let count, let usual):
            SaidOfIncident(
                "Appleが\(Self.place(place, of: app))返金をアプリの問題として処理しています：1日に顧客\(forms.number(count))人",
                "ふだんは1日\(forms.number(usual))人です。アプリの何かが壊れているかもしれません。",
                "該当する最新のケースを開き、アプリやサーバーで何が変わったかを確認してください。")
        case .channelFailing(let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(channel(name, kind, isOff))。", "このチャンネルでは誰にも知らされません。\(said)",
                "チャンネルを開き、新しいアドレスかキーを入れて、Testを押してください。")
        case .channelsFailing(let count, let name, let kind, let isOff, let said):
            SaidOfIncident(
                "\(forms.number(count))個のチャンネルがメッセージを受け取りません。",
                "これらのチャンネルでは誰にも知らされません。最初のもの：\(channel(name, kind, isOff))。\(said)",
                "チャンネルのページを開いてください。それぞれの応答が書かれています。すべて同じなら、壊れているのはキーではなく、このマシンから外への経路です。")
        case .noChannel:
            SaidOfIncident("チャンネルがありません。", "何が起きても誰にも知らされません。", "Alertsのページでチャンネルを追加してください。")
        case .noChannelWorks:
            SaidOfIncident("動いているチャンネルがありません。", "何が起きても誰にも知らされません。", "Alertsのページでチャンネルを追加してください。")
        case .queueOld(let waited, let ready):
            SaidOfIncident(
                "数秒で始まるはずの処理が\(span(seconds: waited))待っています。", "\(forms.number(ready))件のジョブが待機中で、返信が遅れています。",
                "エンジンが動いているか（refund-desk serve --only engine）、データベースの負荷を確認してください。")
        case .workerStuck(let count):
            SaidOfIncident(
                "\(forms.number(count))件のジョブが引き受けられたまま、時間内に完了も返却もされませんでした。",
                "自動で引き継がれますが、これが起きるのはプロセスが止まっているか切り離されたためです。",
                "各エンジンプロセスのログの最後の行を確認し、黙っているものを再起動してください。")
        case .databaseSlow(let milliseconds):
            SaidOfIncident(
                "最小の問い合わせにデータベースが\(forms.number(milliseconds)) msかかっています。", "Appleからの配信が待たされ、悪化すれば拒否されます。",
                "データベースの負荷、ディスク、長いトランザクションを確認してください（refund-desk doctor）。")
        case .databaseFull(let detail):
            SaidOfIncident(
                "データベースがこれ以上データを受け付けません。", "Appleからの配信は拒否され、後で再送されます。返信は出ません。\(detail)",
                "データベースのディスクに空きを作ってください。")
        case .databaseFilling(let used, let size):
            SaidOfIncident(
                "データベースのボリュームが埋まりつつあります：\(forms.mebibytes(size))のうち\(forms.mebibytes(used))を使用中です。",
                "一杯になると何も保存できず、Appleからの配信は拒否されます。",
                "空きを作るか大きくし、REFUND_DESK_DATABASE_BYTESに新しい大きさを設定してください。")
        case .databaseUnreachable(let detail):
            SaidOfIncident(
                "データベースが応答しません。", "Appleからの配信は拒否され、後で再送されます。返信は出ません。\(detail)",
                "PostgreSQLが動いていて、ここから届くかを確認してください。")
        case .masterKeyMissing(let host):
            SaidOfIncident(
                "\(host)にマスターキーがありません。", "どのキーも開けません。そこからは返信が出ず、新しいものも封印できません。",
                "REFUND_DESK_MASTER_KEY_FILEにキーのファイルを指定して再起動してください。ほかにはバックアップにしかありません。")
        case .revocationUnreachable(let host, let since):
            SaidOfIncident(
                "\(time(milliseconds: since))以降、Appleの失効確認サーバーが\(host)に応答していません。",
                "証明書が失効しているかを知らないまま通知を受け付けています。",
                "このマシンからocsp.apple.comへの呼び出しを許可するか、承知のうえでREFUND_DESK_REVOCATION_CHECK=offを設定してください。")
        case .diskFull(let host, let path, let free, let size):
            SaidOfIncident(
                "\(host)の\(path)のディスクは、\(forms.mebibytes(size))のうち残り\(forms.mebibytes(free))です。",
                "一杯になると何も保存できず、Appleからの配信は拒否されます。", "空きを作るか、ディスクを大きくしてください。")
        case .certificateRefused(let fault):
            SaidOfIncident(
                "公開アドレスにTLSで接続できません：\(fault)", "証明書を信頼できないアドレスには、Appleは何も配信しません。", "プロキシの証明書を更新してください。")
        case .certificateEnding(let ends):
            SaidOfIncident(
                "公開アドレスの証明書は\(time(milliseconds: ends))に切れます。", "その後、Appleは何も配信しません。",
                "プロキシの証明書を更新し、自動で更新されなかった理由を調べてください。")
        }
    }

    func andMore(_ count: Int) -> String { "ほかに同様のものが\(forms.number(count))件あります。" }

    var confirmation: SaidOfIncident {
        SaidOfIncident(
            "このアドレスに通知を送ってもよいですか？",
            "返金リクエストへの返信が失敗したときに知らせる先として、このアドレスが入力されました。承諾されるまで、これ以上は何も送りません。",
            "1週間以内にリンクを開き、ボタンを押してください。心当たりがなければ、何もしないでください。")
    }

    func trial(channel: String) -> SaidOfIncident {
        SaidOfIncident("チャンネル\(channel)のテストです。", "異常はありません。Testが押されました。", "何もする必要はありません。")
    }

    func headline(_ event: Notice.Event, _ title: String) -> String {
        switch event {
        case .trigger, .confirm: title
        case .reminder: "継続中：\(title)"
        case .acknowledged(let person): "\(person)が対応中：\(title)"
        case .resolved: "解決：\(title)"
        case .test: "テスト：\(title)"
        }
    }

    func standing(_ event: Notice.Event, _ severity: Severity) -> String {
        switch event {
        case .trigger, .reminder: word(severity)
        case .acknowledged: "対応中"
        case .resolved: "解決"
        case .test: "テスト"
        case .confirm: "確認"
        }
    }

    func word(_ severity: Severity) -> String {
        switch severity {
        case .info: "情報"
        case .warning: "警告"
        case .error: "エラー"
        case .critical: "緊急"
        }
    }

    var over: String { "解決済み" }

    func history(from: Moment, to: Moment?, times: Int) -> String {
        let seen = times > 1 ? "、\(forms.number(times))回検出" : ""
        return to.map { "\(forms.time(from))から\(forms.time($0))まで\(seen)" } ?? "\(forms.time(from))から\(seen)"
    }

    func label(_ label: NoticeLabel) -> String {
        switch label {
        case .since: "開始"
        case .rule: "ルール"
        case .requests: "返金リクエスト"
        case .atRisk: "リスクのある金額"
        case .firstStep: "最初の対処"
        case .cases: "ケース"
        case .oneCase: "ケース"
        case .openIncident: "インシデントを開く"
        case .runbook: "手順書"
        case .confirm: "アドレスを確認する"
        case .tenant: "組織"
        case .state: "状態"
        }
    }

    func span(_ duration: Duration) -> String {
        switch parts(duration) {
        case .seconds(let n): "\(n)秒"
        case .minutes(let n): "\(n)分"
        case .hours(let n, let minutes): "\(n)時間\(minutes)分"
        case .days(let n): "\(forms.number(n))日"
        }
    }

    private func effect(_ waiting: WaitingRequests) -> String {
        guard let left = waiting.leftSeconds else { return "いま待っている返金リクエストはありません。" }
        let end = left > 0 ? "最初の期限まで\(span(seconds: left))です" : "最初の期限は過ぎました"
        return "未回答の\(requests(waiting.count))があり、\(end)。"
    }

    private func requests(_ count: Int) -> String { "返金リクエスト\(forms.number(count))件" }

    private func list(_ names: [String]) -> String {
        names.count <= 3
            ? names.joined(separator: "、") : "\(names[0])、\(names[1])、ほか\(forms.number(names.count - 2))個のアプリ"
    }

    private func channel(_ name: String, _ kind: String, _ isOff: Bool) -> String {
        "チャンネル\(name)（\(kind)）は\(isOff ? "無効になっています" : "メッセージを受け取りません")"
    }

    private static func place(_ place: DriftPlace, of app: String) -> String {
        switch place {
        case .product(let id): "\(app)の\(id)の"
        case .version(let build): "\(app)のバージョン\(build)からの"
        case .storefront(let code): "\(app)のストアフロント\(code)の"
        case .wholeApp: "\(app)の"
        }
    }
}
