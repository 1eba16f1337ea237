"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { RadioCards } from "@/components/ui/choices";
import { Dialog } from "@/components/ui/dialog";
import { FormDialog, TextField } from "@/components/ui/form";
import { callApi, failureText } from "@/lib/client/api";
import { type AdvanceValues, advanceValues, NO_PRESETS, readAdvance } from "@/lib/client/test-clock/advance-form";
import { FormRefusal, useForm } from "@/lib/client/use-form";
import { fullTimeText, timeText } from "@/lib/contract/format";
import type { TestClock } from "@/lib/contract/test-clock/endpoints";
import { Happened } from "./happened";

/** An advance of the clock that this dialog tracks. */
type Advance = { from: string; to: string };

type AdvanceDialogProps = {
  /** The environment's time when the dialog opens. */
  nowMs: number;
  timeZone: string;
  /** True if the clock is already advancing, through the API or in another tab. */
  isAdvancing: boolean;
  onClose: () => void;
};

/** Advances the test clock, shows its progress and lists the events that it caused. */
export function AdvanceDialog({ nowMs, timeZone, isAdvancing, onClose }: AdvanceDialogProps) {
  const router = useRouter();
  const now = new Date(nowMs).toISOString();
  const [advance, setAdvance] = useState<Advance | null>(isAdvancing ? { from: now, to: now } : null);
  const close = () => {
    onClose();
    // The page still shows the state before the advance.
    if (advance) router.refresh();
  };
  return advance ? (
    <FollowDialog advance={advance} timeZone={timeZone} onAgain={() => setAdvance(null)} onClose={close} />
  ) : (
    <ChooseDialog nowMs={nowMs} timeZone={timeZone} onStarted={setAdvance} onClose={close} />
  );
}

const STEPS = [
  { value: "day", label: "A day" },
  { value: "week", label: "A week" },
  { value: "month", label: "A month" },
  { value: "renewal", label: "To the next renewal" },
  { value: "trial", label: "To the end of a trial" },
  { value: "date", label: "To a date…" },
] as const satisfies readonly { value: AdvanceValues["step"]; label: string }[];
const NONE = { renewal: "No subscription renews.", trial: "Nobody is in a trial." };

type ChooseDialogProps = {
  nowMs: number;
  timeZone: string;
  onStarted: (advance: Advance) => void;
  onClose: () => void;
};

function ChooseDialog({ nowMs, timeZone, onStarted, onClose }: ChooseDialogProps) {
  const { data: presets, error } = useQuery({
    queryKey: ["test-clock-presets", nowMs],
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/test-clock/presets", { params: { mode: "test" }, signal })).data,
  });
  const read = (values: AdvanceValues) => readAdvance(values, nowMs, timeZone, presets ?? NO_PRESETS);
  const form = useForm(advanceValues(nowMs, timeZone), {
    check: (values) => read(values).errors,
    place: ({ param, message }) => (param === "to" ? ["at", message] : null),
  });
  const { to } = read(form.values);
  const options = STEPS.map((option) => {
    const { value } = option;
    if (value === "date") return { ...option, description: "Any later time, up to two years." };
    const at = read({ step: value, at: "" }).to;
    if (at !== null) return { ...option, description: timeText(new Date(at), timeZone, new Date(nowMs)) };
    const isNone = presets !== undefined && (value === "renewal" || value === "trial");
    return { ...option, disabled: true, description: isNone ? NONE[value] : error ? failureText(error) : "Loading…" };
  });

  async function start() {
    if (to === null) throw new FormRefusal("Choose a later time.", "at");
    const { data } = await callApi("POST /v1/test-clock/advance", { mode: "test", body: { to } });
    onStarted({ from: data.now, to });
  }

  return (
    <FormDialog
      form={form}
      title="Advance the test clock"
      description="What is due on the way happens at its own time: subscriptions renew, authorizations and sessions expire, payments settle, payouts arrive. The clock never goes back."
      submitLabel="Advance"
      onSubmit={start}
      onClose={onClose}
    >
      <RadioCards legend="Advance the clock" hideLegend columns={2} options={options} {...form.choice("step")} />
      {form.values.step === "date" && (
        <TextField
          label="Date and time"
          hint={`Your business time zone, ${timeZone}.`}
          {...form.field("at")}
          type="datetime-local"
        />
      )}
      <p className="text-soft" aria-live="polite">
        {to !== null && `From ${fullTimeText(new Date(nowMs), timeZone)} to ${fullTimeText(new Date(to), timeZone)}.`}
      </p>
    </FormDialog>
  );
}

const POLL_MS = 500;

type FollowDialogProps = { advance: Advance; timeZone: string; onAgain: () => void; onClose: () => void };

function FollowDialog({ advance, timeZone, onAgain, onClose }: FollowDialogProps) {
  const { data: clock, error } = useQuery({
    queryKey: ["test-clock", advance],
    queryFn: async ({ signal }) => (await callApi("GET /v1/test-clock", { mode: "test", signal })).data,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.status === "ADVANCING" ? POLL_MS : false),
  });
  const shown = fullTimeText(new Date(clock?.now ?? advance.from), timeZone);
  if (clock === undefined || clock.status === "ADVANCING") {
    return (
      <Dialog
        title="The test clock is advancing"
        description="You can close this: it goes on. Until it is done, nothing else can be changed in test mode."
        size="md"
        onClose={onClose}
      >
        {error && (
          <Banner tone="red" role="alert" className="mb-3">
            {failureText(error)}
          </Banner>
        )}
        <Progress clock={clock} advance={advance} text={shown} />
      </Dialog>
    );
  }
  const failed = clock.status === "FAILED";
  return (
    <Dialog
      title={failed ? "The test clock stopped on its way" : "The test clock has advanced"}
      description={`It is ${shown} in test mode.`}
      size="md"
      footer={
        <>
          <Button onClick={onAgain}>Advance again</Button>
          <Button variant="primary" onClick={onClose} data-autofocus>
            Done
          </Button>
        </>
      }
      onClose={onClose}
    >
      {failed && (
        <Banner tone="red" role="alert" className="mb-3">
          {clock.failure_reason}
        </Banner>
      )}
      <Happened since={advance.from} until={clock.now} />
    </Dialog>
  );
}

function Progress({ clock, advance, text }: { clock: TestClock | undefined; advance: Advance; text: string }) {
  const from = Date.parse(advance.from);
  const to = Date.parse(clock?.advancing_to ?? advance.to);
  const value = Date.parse(clock?.now ?? advance.from) - from;
  return (
    <div className="flex flex-col gap-2">
      <progress
        aria-label="Test clock"
        aria-valuetext={text}
        className="h-1.5 w-full accent-accent"
        max={Math.max(to - from, 1)}
        value={value}
      />
      <p className="text-soft tabular-nums" aria-live="polite">
        {text}
      </p>
    </div>
  );
}
