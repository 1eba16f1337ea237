"use client";

import { ShieldCheck, ShieldOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useId, useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Banner, FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { CodeInput, PasswordInput } from "./auth-fields";
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
          <p>
            {codesLeft} of 10 left. Each signs in once when your phone is not at hand; new ones replace all of them.
          </p>
          {codesLeft < FEW_CODES && (
            <Banner tone="amber" className="mt-3">
              {codesLeft === 0 ? "You have none left." : "You are running out."} Make new ones while you can sign in.
            </Banner>
          )}
        </Card>
      )}
      <EnableSecondFactor
        open={dialog === "enable"}
        onClose={close}
        onEnabled={(made) => {
          close();
          setCodes(made);
          router.refresh();
        }}
      />
      <ProofDialog
        open={dialog === "codes"}
        onClose={close}
        title="Make new recovery codes"
        description="The ones you have stop working."
        confirmLabel="Make new codes"
        path="/api/dashboard/account/second-factor/recovery-codes"
        onDone={(data) => {
          close();
          setCodes((data as { recovery_codes: string[] }).recovery_codes);
          router.refresh();
        }}
      />
      <ProofDialog
        open={dialog === "disable"}
        onClose={close}
        title="Switch off the second factor"
        description="Your password alone will sign in. The recovery codes stop working."
        confirmLabel="Switch off"
        danger
        path="/api/dashboard/account/second-factor/disable"
        onDone={() => {
          close();
          toast.success("Second factor switched off");
          router.refresh();
        }}
      />
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
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
          <span className="block text-soft">Any app that shows six-digit codes will do.</span>
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
        <Button onClick={onDisable}>Switch off</Button>
      </div>
    </Card>
  );
}

type ProofDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** What takes password and code. */
  path: string;
  onDone: (data: unknown) => void;
};

/** Asks for password and code again, for what would weaken the sign-in. */
function ProofDialog({ open, onClose, ...rest }: ProofDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onClose}>
      {open && <Content onClose={onClose} {...rest} />}
    </Dialog>
  );
}

function Content({ onClose, title, description, confirmLabel, danger, path, onDone }: Omit<ProofDialogProps, "open">) {
  const formId = useId();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { pending, failure, run } = useSubmit(["current_password", "code"]);

  async function prove() {
    const { data } = await callApi({ method: "POST", path, body: { current_password: password, code } });
    onDone(data);
  }

  return (
    <DialogContent
      size="sm"
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant={danger ? "danger" : "primary"} pending={pending}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => run(prove, event)} className="flex flex-col gap-4">
        <FormFailure failure={failure} />
        <Field label="Current password" error={failure.fields.current_password}>
          {(props) => (
            <PasswordInput
              {...props}
              name="current_password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field label="Code" hint="Of your authenticator app, or a recovery code." error={failure.fields.code}>
          {(props) => (
            <CodeInput {...props} name="code" value={code} onChange={(event) => setCode(event.target.value)} />
          )}
        </Field>
      </form>
    </DialogContent>
  );
}
