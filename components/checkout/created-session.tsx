"use client";

import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { StatusBadge } from "@/components/ui/badge";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { Card, Facts } from "@/components/ui/card";
import { CodeFigure, CopyId } from "@/components/ui/copy";
import { UnsavedGuard } from "@/components/ui/form";
import { buttonStyles } from "@/components/ui/styles";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { Time } from "@/components/ui/time";
import { htmlCode, reactCode } from "@/lib/client/checkout/embed-code";
import { customerText } from "@/lib/contract/checkout/checkout";
import type { ClientSession } from "@/lib/contract/checkout/client-session";
import type { Mode } from "@/lib/contract/transactions/words";
import { LinkCard } from "./link-card";
import { SessionAmount } from "./session-table";

type CreatedSessionProps = {
  session: ClientSession;
  /** Neither can be fetched again. */
  link: string;
  token: string;
  planName: string | null;
  mode: Mode;
  baseUrl: string;
  onAnother: () => void;
};

/** A new session's link and code, shown once. Closing without having copied either asks first. */
export function CreatedSession(props: CreatedSessionProps) {
  const { session, link, mode, onAnother } = props;
  const [kept, setKept] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]" onCopy={() => setKept(true)}>
      <h2 ref={heading} tabIndex={-1} className="sr-only">
        Your session is ready
      </h2>
      <div className="flex min-w-0 flex-col gap-4">
        <Banner tone={kept ? "green" : "amber"} title={kept ? "Copied" : "Copy it now: it is shown only once"}>
          Cardlane does not store the link. Anyone who has it can pay until it expires, but can do nothing else.
        </Banner>
        <LinkCard
          title="Link"
          description="A page where your customer pays. Send the link, or show the QR code."
          link={link}
          mode={mode}
          onKept={() => setKept(true)}
        />
        <EmbedCard {...props} onKept={() => setKept(true)} />
      </div>
      <div className="flex flex-col gap-4 lg:sticky lg:top-16">
        <SessionCard {...props} />
        <div className="flex flex-wrap gap-2">
          <Link href={`/${mode}/checkout/${session.id}`} className={buttonStyles({ variant: "primary" })}>
            Open the session
          </Link>
          <Button onClick={onAnother} disabled={!kept} title={kept ? undefined : "Copy this one first"}>
            Create another
          </Button>
        </div>
      </div>
      <UnsavedGuard
        dirty={!kept}
        title="Leave without copying the link?"
        description="It is shown only once. If you lose it, create another session."
      />
    </div>
  );
}

function EmbedCard({ session, token, baseUrl, onKept }: CreatedSessionProps & { onKept: () => void }) {
  const code = { baseUrl, token, returns: session.return_url !== null };
  return (
    <Card title="Embed the form" description="The same session, embedded in your page.">
      {session.allowed_origins.length === 0 ? (
        <Banner tone="amber" className="mb-4" title="No page may embed this session">
          It has no allowed origins, so only its link works. To embed it, create a session with the origin of your page.
        </Banner>
      ) : (
        <p className="mb-3 text-soft">
          Works on {session.allowed_origins.join(", ")}. In your integration, your server creates a session for each
          order and hands its token to the page.{" "}
          <Link href="/docs/quickstart" className="text-accent underline">
            Quickstart
          </Link>
        </p>
      )}
      <Tabs defaultValue="html">
        <TabsList label="Language" className="mb-3">
          <TabsTrigger value="html">HTML</TabsTrigger>
          <TabsTrigger value="react">React</TabsTrigger>
        </TabsList>
        <TabsContent value="html">
          <CodeFigure title="HTML" code={htmlCode(code)} onCopied={onKept} />
        </TabsContent>
        <TabsContent value="react">
          <CodeFigure title="React" code={reactCode(code)} onCopied={onKept} />
        </TabsContent>
      </Tabs>
    </Card>
  );
}

function SessionCard({ session, planName }: CreatedSessionProps) {
  return (
    <Card>
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        <SessionAmount session={session} className="font-semibold text-xl" />
        <StatusBadge status={session.status} />
      </p>
      <Facts
        items={[
          ...(planName === null ? [] : [{ term: "Plan", value: planName }]),
          { term: "Customer", value: customerText(session) },
          { term: "Captured", value: session.capture_method === "manual" ? "By you" : "Immediately" },
          { term: "Expires", value: <Time at={session.expires_at} /> },
          { term: "Id", value: <CopyId id={session.id} short label="Copy session id" /> },
        ]}
      />
    </Card>
  );
}
