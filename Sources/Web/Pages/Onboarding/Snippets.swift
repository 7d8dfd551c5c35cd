import Refunds

/// Code that an app's backend starts from: it reports one customer's consent and one purchase's use, and works as it
/// stands.
struct Snippets {
    enum Language: String, CaseIterable {
        case curl, swift, node, python, php

        var name: String {
            switch self {
            case .curl: "curl"
            case .swift: "Swift"
            case .node: "Node"
            case .python: "Python"
            case .php: "PHP"
            }
        }
    }

    let publicURL: String
    let bundleID: String
    let token: String

    private var base: String { "\(publicURL)/api/v1/apps/\(bundleID)" }

    func text(_ language: Language) -> String {
        switch language {
        case .curl: curl
        case .swift: swift
        case .node: node
        case .python: python
        case .php: php
        }
    }

    private var curl: String {
        """
        desk='\(base)'
        token='\(token)'
        customer='\(NobodysPurchase.customer)'      # the appAccountToken
        transaction='\(NobodysPurchase.transactionID)'

        put() {
          curl --silent --show-error --fail-with-body --request PUT "$desk/$1" \\
            --header "Authorization: Bearer $token" --header 'Content-Type: application/json' --data "$2"
        }
        put "customers/$customer/consent" '{"consented": true}'
        put "transactions/$transaction/usage" '{"deliveryStatus": "DELIVERED", "consumptionPercentage": 25000,
          "sampleContentProvided": false, "observedAt": '"$(date +%s)000"'}'
        """
    }

    private var swift: String {
        """
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        let desk = "\(base)"
        let token = "\(token)"

        func put(_ path: String, _ report: [String: Any]) async throws {
            var request = URLRequest(url: URL(string: "\\(desk)/\\(path)")!)
            request.httpMethod = "PUT"
            request.setValue("Bearer \\(token)", forHTTPHeaderField: "Authorization")
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: report)
            let (answer, response) = try await URLSession.shared.data(for: request)
            print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: answer, as: UTF8.self))
        }

        let customer = "\(NobodysPurchase.customer)"  // the appAccountToken
        let transaction = "\(NobodysPurchase.transactionID)"
        try await put("customers/\\(customer)/consent", ["consented": true])
        try await put(
            "transactions/\\(transaction)/usage",
            [
                "deliveryStatus": "DELIVERED", "consumptionPercentage": 25000, "sampleContentProvided": false,
                "observedAt": Int(Date().timeIntervalSince1970 * 1000),
            ])
        """
    }

    private var node: String {
        """
        const desk = "\(base)";
        const token = "\(token)";

        async function put(path, report) {
          const answer = await fetch(`${desk}/${path}`, {
            method: "PUT",
            headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
            body: JSON.stringify(report),
          });
          if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
          return answer.json();
        }

        async function main() {
          const customer = "\(NobodysPurchase.customer)"; // the appAccountToken
          const transaction = "\(NobodysPurchase.transactionID)";
          console.log(await put(`customers/${customer}/consent`, { consented: true }));
          console.log(await put(`transactions/${transaction}/usage`, {
            deliveryStatus: "DELIVERED", consumptionPercentage: 25000, sampleContentProvided: false,
            observedAt: Date.now(),
          }));
        }
        main().catch((error) => { console.error(error); process.exit(1); });
        """
    }

    private var python: String {
        """
        import json, time, urllib.request

        DESK = "\(base)"
        TOKEN = "\(token)"

        def put(path, report):
            request = urllib.request.Request(
                f"{DESK}/{path}", method="PUT", data=json.dumps(report).encode(),
                headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)

        customer = "\(NobodysPurchase.customer)"  # the appAccountToken
        transaction = "\(NobodysPurchase.transactionID)"
        print(put(f"customers/{customer}/consent", {"consented": True}))
        print(put(f"transactions/{transaction}/usage", {
            "deliveryStatus": "DELIVERED", "consumptionPercentage": 25000, "sampleContentProvided": False,
            "observedAt": int(time.time() * 1000)}))
        """
    }

    private var php: String {
        """
        <?php
        $desk = '\(base)';
        $token = '\(token)';

        $put = function (string $path, array $report) use ($desk, $token) {
            $answer = file_get_contents("$desk/$path", false, stream_context_create(['http' => [
                'method' => 'PUT', 'timeout' => 10, 'content' => json_encode($report),
                'header' => "Authorization: Bearer $token\\r\\nContent-Type: application/json",
            ]]));
            if ($answer === false) exit(1);
            return $answer . PHP_EOL;
        };

        $customer = '\(NobodysPurchase.customer)'; // the appAccountToken
        $transaction = '\(NobodysPurchase.transactionID)';
        echo $put("customers/$customer/consent", ['consented' => true]);
        echo $put("transactions/$transaction/usage", [
            'deliveryStatus' => 'DELIVERED', 'consumptionPercentage' => 25000, 'sampleContentProvided' => false,
            'observedAt' => (int) (microtime(true) * 1000),
        ]);
        """
    }
}
