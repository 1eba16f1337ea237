"use client";

import { Monitor, Smartphone } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import { toast } from "@/components/ui/toast";
import { callApi, failureText } from "@/lib/client/api";

type SessionItem = {
  id: string;
  device: string;
  address: string;
  lastSeenAt: string;
  createdAt: string;
  secondFactor: boolean;
  current: boolean;
};

const OTHERS = "others";

export function SessionList({ sessions }: { sessions: SessionItem[] }) {
  const router = useRouter();
  /** Id of the session being ended, or "others". */
  const [pending, setPending] = useState<string | null>(null);
  const others = sessions.filter((session) => !session.current);

  async function end(what: string, done: string) {
    setPending(what);
    try {
      if (what === OTHERS) await callApi("DELETE /api/dashboard/account/sessions");
      else await callApi("DELETE /api/dashboard/account/sessions/{id}", { params: { id: what } });
      toast.success(done);
      router.refresh();
    } catch (error) {
      toast.error("Still signed in", { description: failureText(error) });
    } finally {
      setPending(null);
    }
  }

  return (
    <div className="max-w-3xl">
      <ul className="rounded-lg border">
        {sessions.map((session) => (
          <Session
            key={session.id}
            session={session}
            pending={pending === session.id}
            onEnd={() => end(session.id, `${session.device} is signed out`)}
          />
        ))}
      </ul>
      {others.length > 0 ? (
        <Button
          className="mt-4"
          pending={pending === OTHERS}
          onClick={() => end(OTHERS, "All other browsers are signed out")}
        >
          Sign out everywhere else
        </Button>
      ) : (
        <p className="mt-4 text-[13px] text-soft">You aren’t signed in anywhere else.</p>
      )}
    </div>
  );
}

type SessionProps = { session: SessionItem; pending: boolean; onEnd: () => void };

function Session({ session, pending, onEnd }: SessionProps) {
  const { device, address, lastSeenAt, createdAt, current, secondFactor } = session;
  const Icon = /iPhone|Android/.test(device) ? Smartphone : Monitor;
  return (
    <li className="flex items-center gap-3 px-4 py-3 not-last:border-b">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-soft max-sm:hidden" />
      <div className="min-w-0 flex-1 text-[13px]">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device}
          {current && <Badge tone="accent">This browser</Badge>}
          {secondFactor && <Badge>Two-factor authentication used</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-soft text-xs leading-5">
          <span>
            <span className="sr-only">Address </span>
            <span className="font-mono">{address || "unknown"}</span>
          </span>
          <span>
            Last seen <Time at={lastSeenAt} style="relative" />
          </span>
          <span>
            Signed in <Time at={createdAt} />
          </span>
        </p>
      </div>
      {!current && (
        <Button size="sm" pending={pending} onClick={onEnd} aria-label={`Sign out ${device}, ${address}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}
