"use client";

import { ShieldCheck, ShieldOff } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { EnableSecondFactor } from "./enable-second-factor";
import { ProofDialog } from "./proof-dialog";
import { RecoveryCodes } from "./recovery-codes";

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
