"use client";

import { Download } from "lucide-react";
import { useId, useState } from "react";
import { FormFailure } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { CopyButton } from "@/components/ui/copy-button";
import { CopyId } from "@/components/ui/copy-id";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { callApi } from "@/lib/client/api";
import { useSubmit } from "@/lib/client/use-submit";
import { CodeInput, PasswordInput } from "./auth-fields";

type EnableSecondFactorProps = { open: boolean; onClose: () => void; onEnabled: (codes: string[]) => void };

/** Password, then the QR code, then a first code of the app. */
export function EnableSecondFactor({ open, onClose, onEnabled }: EnableSecondFactorProps) {
  return (
    <Dialog open={open} onOpenChange={onClose}>
      {open && <Steps onClose={onClose} onEnabled={onEnabled} />}
    </Dialog>
  );
}

type Begun = { secret: string; uri: string; qr_svg: string };

function Steps({ onClose, onEnabled }: Omit<EnableSecondFactorProps, "open">) {
  const [begun, setBegun] = useState<Begun | null>(null);
  return begun === null ? (
    <PasswordStep onClose={onClose} onBegun={setBegun} />
  ) : (
    <ScanStep begun={begun} onClose={onClose} onEnabled={onEnabled} />
  );
}

function PasswordStep({ onClose, onBegun }: { onClose: () => void; onBegun: (begun: Begun) => void }) {
  const formId = useId();
  const [password, setPassword] = useState("");
  const { pending, failure, run } = useSubmit(["current_password"]);

  async function begin() {
    const path = "/api/dashboard/account/second-factor/begin";
    const { data } = await callApi<Begun>({ method: "POST", path, body: { current_password: password } });
    onBegun(data);
  }

  return (
    <DialogContent
      size="sm"
      title="Set up an authenticator app"
      description="First your password, so that nobody else does it in your name."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" pending={pending}>
            Continue
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => run(begin, event)} className="flex flex-col gap-4">
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
      </form>
    </DialogContent>
  );
}

type ScanStepProps = { begun: Begun; onClose: () => void; onEnabled: (codes: string[]) => void };

function ScanStep({ begun, onClose, onEnabled }: ScanStepProps) {
  const formId = useId();
  const [code, setCode] = useState("");
  const { pending, failure, run } = useSubmit(["code"]);

  async function confirm() {
    const path = "/api/dashboard/account/second-factor/confirm";
    const { data } = await callApi<{ recovery_codes: string[] }>({ method: "POST", path, body: { code } });
    onEnabled(data.recovery_codes);
  }

  return (
    <DialogContent
      size="sm"
      title="Set up an authenticator app"
      description="Scan this with the app, then enter the code that it shows. Every other browser will be signed out."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" pending={pending}>
            Switch on
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => run(confirm, event)} className="flex flex-col gap-4">
        <FormFailure failure={failure} />
        {/* biome-ignore lint/performance/noImgElement: made just now, there is nothing to optimize. White in every theme: cameras want it so. */}
        <img
          src={`data:image/svg+xml,${encodeURIComponent(begun.qr_svg)}`}
          alt="QR code with the secret for your authenticator app"
          width={184}
          height={184}
          className="self-center rounded-md bg-white"
        />
        <div>
          <p className="text-soft text-xs">Cannot scan? Type this secret into the app instead:</p>
          <CopyId id={begun.secret} label="Copy secret" />
        </div>
        <Field label="Code" error={failure.fields.code}>
          {(props) => (
            <CodeInput {...props} name="code" value={code} onChange={(event) => setCode(event.target.value)} />
          )}
        </Field>
      </form>
    </DialogContent>
  );
}

type RecoveryCodesProps = { codes: string[] | null; onClose: () => void };

/** New recovery codes, shown this once: the dialog stays until the person says that they are kept. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Dialog open={codes !== null} onOpenChange={onClose}>
      {codes && <Content codes={codes} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [kept, setKept] = useState(false);
  return (
    <DialogContent
      title="Keep these recovery codes"
      description="Each signs you in once when your phone is not at hand. They are not shown again."
      dismissible={false}
      footer={
        <>
          <Button icon={<Download aria-hidden="true" />} onClick={() => download(codes)}>
            Download
          </Button>
          <Button variant="primary" disabled={!kept} onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <figure className="mb-4 rounded-md border bg-raised">
        <figcaption className="flex items-center justify-between border-b py-1 pr-1.5 pl-3 text-soft text-xs">
          Recovery codes
          <CopyButton />
        </figcaption>
        <pre className="px-3 py-2.5 font-mono text-[13px] leading-6 sm:columns-2">
          <code>{codes.join("\n")}</code>
        </pre>
      </figure>
      <Checkbox
        label="I have kept them in a safe place."
        checked={kept}
        onChange={(event) => setKept(event.target.checked)}
      />
    </DialogContent>
  );
}

function download(codes: string[]): void {
  const url = URL.createObjectURL(new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "cardlane-recovery-codes.txt";
  link.click();
  URL.revokeObjectURL(url);
}
