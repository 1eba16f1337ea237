import {
  type DocumentSettings as Columns,
  findDocumentSettings,
  lockDocumentSettings,
  updateDocumentSettings,
} from "@/db/queries/receipts";
import type { CheckoutLocale } from "@/lib/contract/checkout/checkout";
import { LANGUAGE_NAMES } from "@/lib/contract/checkout/localized";
import { ratePercent, readTaxRate } from "@/lib/contract/invoices/tax";
import { onlyChanged } from "../accounts/account";
import { accountActor, recordAccountAct } from "../accounts/activity";
import type { Context } from "../context";

/** The form's texts; empty without a tax. */
export type DocumentSettings = { tax_name: string; tax_percentage: string; locale: CheckoutLocale };

const present = ({ tax_name, tax_rate, document_locale }: Columns): DocumentSettings => ({
  tax_name: tax_name ?? "",
  tax_percentage: tax_rate === null ? "" : String(ratePercent(tax_rate)),
  locale: document_locale,
});

/** The tax and the default language of receipts, invoices and credit notes in the context's mode. */
export async function getDocumentSettings({ service, environment }: Context): Promise<DocumentSettings> {
  const row = await findDocumentSettings(service.db.within(environment.id).orm, environment.id);
  if (row === null) throw new Error("a call has an environment");
  return present(row);
}

/** Applies to documents issued from now on: issued ones keep their tax. */
export async function updateDocuments(ctx: Context, input: DocumentSettings): Promise<DocumentSettings> {
  const { id, mode } = ctx.environment;
  const rate = readTaxRate(input.tax_percentage);
  const after: Columns = {
    tax_name: rate === null ? null : input.tax_name,
    tax_rate: rate,
    document_locale: input.locale,
  };
  return ctx.service.db.orm.transaction(async (tx) => {
    const before = await lockDocumentSettings(tx, id);
    if (before === null) throw new Error("a call has an environment");
    const changes = onlyChanged({
      tax: [taxWords(before), taxWords(after)],
      document_locale: [LANGUAGE_NAMES[before.document_locale], LANGUAGE_NAMES[after.document_locale]],
    });
    if (Object.keys(changes).length === 0) return present(before);
    await updateDocumentSettings(tx, id, after);
    await recordAccountAct(tx, accountActor(ctx), "settings.documents_updated", id, { mode, changes });
    return present(after);
  });
}

const taxWords = ({ tax_name, tax_rate }: Columns): string | null =>
  tax_rate === null ? null : `${tax_name} ${ratePercent(tax_rate)}%`;
