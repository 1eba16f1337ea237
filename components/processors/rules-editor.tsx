"use client";

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Select } from "@/components/ui/field";
import { Form } from "@/components/ui/form";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import type { Connection, RoutingRule } from "@/lib/contract/processors/connection";
import { BRAND_NAMES, CARD_BRANDS, type CardBrand, type Mode } from "@/lib/contract/transactions/words";

type RulesEditorProps = {
  mode: Mode;
  rules: readonly RoutingRule[];
  connections: readonly Connection[];
  currencies: readonly string[];
};

/** Saves all rules together, because a partial change would route differently. */
export function RulesEditor({ mode, rules, connections, currencies }: RulesEditorProps) {
  const router = useRouter();
  // Rows need a stable key, because they can be moved.
  const [nextKey, setNextKey] = useState(rules.length);
  const form = useForm({ rows: rules.map((rule, key) => ({ key, rule })) });
  const { rows } = form.values;
  const first = connections[0];

  async function save() {
    const body = { rules: rows.map(({ rule }) => rule) };
    await callApi("PATCH /api/dashboard/{mode}/processors/rules", { params: { mode }, body });
    form.keep();
    toast.success("Rules saved");
    router.refresh();
  }

  const put = (at: number, changes: Partial<RoutingRule>) =>
    form.set({ rows: rows.map((row, i) => (i === at ? { ...row, rule: { ...row.rule, ...changes } } : row)) });
  const move = (at: number, by: 1 | -1) => {
    const [row] = rows.slice(at, at + 1);
    const others = rows.filter((_, i) => i !== at);
    if (row) form.set({ rows: [...others.slice(0, at + by), row, ...others.slice(at + by)] });
  };
  const add = () => {
    if (!first) return;
    const rule = { currency: null, brand: null, connection_id: first.id };
    form.set({ rows: [...rows, { key: nextKey, rule }] });
    setNextKey(nextKey + 1);
  };

  return (
    <Card
      title="Routing rules"
      description="The first matching rule decides. Payments that match none use the default connection. Captures and refunds always use the payment’s own connection."
    >
      <Form form={form} onSubmit={save} guarded>
        {rows.length === 0 && <p className="text-soft">No rules: every payment uses the default connection.</p>}
        <ol className="grid gap-2">
          {rows.map(({ key, rule }, at) => (
            <li key={key} className="flex flex-wrap items-center gap-2">
              <span className="w-5 text-right text-soft tabular-nums">{at + 1}.</span>
              <Select
                aria-label={`Currency of rule ${at + 1}`}
                className="w-36"
                value={rule.currency ?? ""}
                onChange={({ target }) => put(at, { currency: target.value || null })}
              >
                <option value="">Any currency</option>
                {currencies.map((currency) => (
                  <option key={currency}>{currency}</option>
                ))}
              </Select>
              <Select
                aria-label={`Card brand of rule ${at + 1}`}
                className="w-40"
                value={rule.brand ?? ""}
                onChange={({ target }) => put(at, { brand: (target.value || null) as CardBrand | null })}
              >
                <option value="">Any card brand</option>
                {CARD_BRANDS.map((brand) => (
                  <option key={brand} value={brand}>
                    {BRAND_NAMES[brand]}
                  </option>
                ))}
              </Select>
              <span aria-hidden="true" className="text-soft">
                →
              </span>
              <Select
                aria-label={`Connection of rule ${at + 1}`}
                className="min-w-0 flex-1 basis-40"
                value={rule.connection_id}
                onChange={({ target }) => put(at, { connection_id: target.value })}
              >
                {connections.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </Select>
              <span className="flex gap-1">
                <IconButton label={`Move rule ${at + 1} up`} disabled={at === 0} onClick={() => move(at, -1)}>
                  <ArrowUp aria-hidden="true" />
                </IconButton>
                <IconButton
                  label={`Move rule ${at + 1} down`}
                  disabled={at === rows.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <ArrowDown aria-hidden="true" />
                </IconButton>
                <IconButton
                  label={`Remove rule ${at + 1}`}
                  onClick={() => form.set({ rows: rows.filter((_, i) => i !== at) })}
                >
                  <Trash2 aria-hidden="true" />
                </IconButton>
              </span>
            </li>
          ))}
        </ol>
        <p className="text-soft">
          Card brand rules apply to cards entered in the payment form. For a token from a processor&rsquo;s own fields,
          only the currency counts.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button icon={<Plus aria-hidden="true" />} onClick={add}>
            Add a rule
          </Button>
          <Button type="submit" variant="primary" disabled={!form.dirty} pending={form.pending}>
            Save rules
          </Button>
        </div>
      </Form>
    </Card>
  );
}

type IconButtonProps = { label: string; disabled?: boolean; onClick: () => void; children: ReactNode };

const IconButton = ({ label, disabled = false, onClick, children }: IconButtonProps) => (
  <button type="button" className="button button-icon" aria-label={label} disabled={disabled} onClick={onClick}>
    {children}
  </button>
);
