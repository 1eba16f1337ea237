"use client";

import { ShieldCheck, ShieldOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CodeField, FormDialog, PasswordField } from "@/components/ui/form";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";
import { EnableSecondFactor, RecoveryCodes } from "./enable-second-factor";

type SecondFactorProps = {
  /** ISO 8601; null = off. */
  since: string | null;
  codesLeft: number;
};

const FEW_CODES = 3;

export function SecondFactor({ since, codesLeft }: SecondFactorProps) {
  const router = useRouter();
  const [dialog, setDialog] = useState<"enable" | "codes" | "disable" | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setDialog(null);

  return (
    <div className="flex max-w-xl flex-col gap-4">
      {since === null ? (
        <Off onEnable={() => setDialog("enable")} />
      ) : (
        <On since={since} onDisable={() => setDialog("disable")} />
      )}
      {since !== null && (
        <Card
          title="Recovery codes"
          actions={
            <Button size="sm" onClick={() => setDialog("codes")}>
              New codes
            </Button>
          }
        >
          <p>{codesLeft} of 10 left. Each works once when you don’t have your phone. New codes replace all of these.</p>
          {codesLeft < FEW_CODES && (
            <Banner tone="amber" className="mt-3">
              {codesLeft === 0 ? "You have none left." : "Only a few are left."} Generate new ones while you can sign
              in.
            </Banner>
          )}
        </Card>
      )}
      {dialog === "enable" && (
        <EnableSecondFactor
          onClose={close}
          onEnabled={(newCodes) => {
            close();
            setCodes(newCodes);
            router.refresh();
          }}
        />
      )}
      {dialog === "codes" && (
        <ReauthenticationDialog
          onClose={close}
          title="Generate new recovery codes"
          description="Your current codes stop working."
          submitLabel="Generate codes"
          onReauthenticated={async (body) => {
            const { data } = await callApi("POST /api/dashboard/account/second-factor/recovery-codes", { body });
            close();
            setCodes(data.recovery_codes);
            router.refresh();
          }}
        />
      )}
      {dialog === "disable" && (
        <ReauthenticationDialog
          onClose={close}
          title="Turn off two-factor authentication"
          description="You will sign in with your password alone. Your recovery codes stop working."
          submitLabel="Turn off"
          danger
          onReauthenticated={async (body) => {
            await callApi("POST /api/dashboard/account/second-factor/disable", { body });
            close();
            toast.success("Two-factor authentication turned off");
            router.refresh();
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </div>
  );
}

function Off({ onEnable }: { onEnable: () => void }) {
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <ShieldOff aria-hidden="true" className="size-5 shrink-0 text-soft" />
        <p className="min-w-0 flex-1">
          <span className="flex items-center gap-2 font-medium">
            Authenticator app <Badge>Off</Badge>
          </span>
          <span className="block text-soft">Use any app that shows six-digit codes.</span>
        </p>
        <Button variant="primary" onClick={onEnable}>
          Set up
        </Button>
      </div>
    </Card>
  );
}

function On({ since, onDisable }: { since: string; onDisable: () => void }) {
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <ShieldCheck aria-hidden="true" className="size-5 shrink-0 text-green" />
        <p className="min-w-0 flex-1">
          <span className="flex items-center gap-2 font-medium">
            Authenticator app <Badge tone="green">On</Badge>
          </span>
          <span className="block text-soft">
            Since <Time at={since} style="date" />
          </span>
        </p>
        <Button onClick={onDisable}>Turn off</Button>
      </div>
    </Card>
  );
}

type ReauthenticationDialogProps = Omit<ComponentProps<typeof FormDialog>, "form" | "onSubmit"> & {
  onReauthenticated: (confirmation: { current_password: string; code: string }) => Promise<void>;
};

/** Requires password and code again before an action that weakens the sign-in. */
function ReauthenticationDialog({ onReauthenticated, ...dialog }: ReauthenticationDialogProps) {
  const form = useForm({ current_password: "", code: "" });

  return (
    <FormDialog {...dialog} form={form} size="sm" onSubmit={() => onReauthenticated(form.values)}>
      <PasswordField label="Current password" {...form.field("current_password")} autoComplete="current-password" />
      <CodeField label="Code" hint="From your authenticator app, or a recovery code." {...form.field("code")} />
    </FormDialog>
  );
}
