import { FRAUD_DECLINE_SCORE, FRAUD_RULES, FRAUD_RULES_CAP } from "@/lib/contract/sandbox-cards";
import { DataTable } from "../data-table";

export function FraudRules() {
  return (
    <>
      <h2 id="fraud">Fraud score</h2>
      <p>
        <code className="tick">fraud_score</code> goes from 0 to 100. In the sandbox it is the sum of the points of the
        rules that apply; of two rules about the same thing only the stronger counts. From {FRAUD_DECLINE_SCORE} on the
        card is declined with <code className="tick">fraud_suspected</code>.
      </p>
      <DataTable
        caption="Rules of the fraud score"
        columns={["Points", "When"]}
        rows={FRAUD_RULES.map(({ id, points, reason }) => ({
          key: id,
          cells: [
            <span key="points" className="font-mono">
              {points}
            </span>,
            reason,
          ],
        }))}
      />
      <p>
        Without the first rule the score never goes above {FRAUD_RULES_CAP}, so ordinary traffic raises it but declines
        nothing. Amounts are compared once there is some history.
      </p>
    </>
  );
}
