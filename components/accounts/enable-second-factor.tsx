"use client";

import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { CopyButton, CopyId } from "@/components/ui/copy";
import { Dialog } from "@/components/ui/dialog";
import { CodeField, FormDialog, PasswordField } from "@/components/ui/form";
import { callApi } from "@/lib/client/api";
import { useForm } from "@/lib/client/use-form";

type Enrollment = { secret: string; uri: string; qr_svg: string };
type EnableSecondFactorProps = { onClose: () => void; onEnabled: (codes: string[]) => void };

/** Three steps: password, QR code, first code of the app. */
export function EnableSecondFactor({ onClose, onEnabled }: EnableSecondFactorProps) {
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  return enrollment === null ? (
    <PasswordStep onClose={onClose} onStarted={setEnrollment} />
  ) : (
    <ScanStep enrollment={enrollment} onClose={onClose} onEnabled={onEnabled} />
  );
}

function PasswordStep({ onClose, onStarted }: { onClose: () => void; onStarted: (enrollment: Enrollment) => void }) {
  const form = useForm({ current_password: "" });

  async function begin() {
    onStarted((await callApi("POST /api/dashboard/account/second-factor/begin", { body: form.values })).data);
  }

  return (
    <FormDialog
      form={form}
      size="sm"
      title="Set up an authenticator app"
      description="First, enter your password to confirm it’s you."
      submitLabel="Continue"
      onSubmit={begin}
      onClose={onClose}
    >
      <PasswordField label="Current password" {...form.field("current_password")} autoComplete="current-password" />
    </FormDialog>
  );
}

function ScanStep({ enrollment, onClose, onEnabled }: EnableSecondFactorProps & { enrollment: Enrollment }) {
  const form = useForm({ code: "" });

  async function confirm() {
    const { data } = await callApi("POST /api/dashboard/account/second-factor/confirm", { body: form.values });
    onEnabled(data.recovery_codes);
  }

  return (
    <FormDialog
      form={form}
      size="sm"
      title="Set up an authenticator app"
      description="Scan this QR code with your app, then enter the six-digit code it shows. Every other browser will be signed out."
      submitLabel="Turn on"
      onSubmit={confirm}
      onClose={onClose}
    >
      {/* biome-ignore lint/performance/noImgElement: generated here, so there is nothing to optimize. White in every theme, for cameras. */}
      <img
        src={`data:image/svg+xml,${encodeURIComponent(enrollment.qr_svg)}`}
        alt="QR code with the secret for your authenticator app"
        width={184}
        height={184}
        className="self-center rounded-md bg-white"
      />
      <div>
        <p className="text-soft text-xs">Can’t scan it? Enter this secret in the app instead:</p>
        <CopyId id={enrollment.secret} label="Copy secret" />
      </div>
      <CodeField label="Code" {...form.field("code")} />
    </FormDialog>
  );
}

/** New recovery codes, shown once: the dialog stays open until the user confirms having stored them. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [kept, setKept] = useState(false);
  return (
    <Dialog
      onClose={onClose}
      title="Save your recovery codes"
      description="Each code signs you in once when you don’t have your phone. You won’t see them again."
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
        label="I’ve saved them in a safe place."
        checked={kept}
        onChange={(event) => setKept(event.target.checked)}
      />
    </Dialog>
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
