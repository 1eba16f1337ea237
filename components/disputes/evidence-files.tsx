"use client";

import { FileText, ImageIcon, Paperclip, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Banner } from "@/components/ui/banner";
import { Button } from "@/components/ui/button";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { ACCEPTED_FILES, fileProblem, sizeText, uploadFile } from "@/lib/client/disputes/upload-file";
import type { Dispute } from "@/lib/contract/disputes/dispute";
import { MAX_EVIDENCE_FILES } from "@/lib/contract/disputes/evidence";
import type { EvidenceFile } from "@/lib/contract/disputes/list";

/** `id`: null until the draft has the file. */
type Sending = { key: number; name: string; share: number; id: string | null };
export type DraftFiles = ReturnType<typeof useDraftFiles>;

/**
 * The files of a draft. Each is saved with the draft as soon as it is uploaded, and removed at once. The page
 * shows both later, when it has been read again.
 */
export function useDraftFiles({ dispute, files }: { dispute: Dispute; files: readonly EvidenceFile[] }) {
  const { mode } = useDashboard();
  const router = useRouter();
  const input = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  // One change after another, as each replaces the whole list.
  const ids = useRef(dispute.evidence.files);
  const last = useRef<Promise<void>>(Promise.resolve());
  // One upload after another: more would only share the line, and wait for a slot.
  const uploads = useRef<Promise<void>>(Promise.resolve());
  const gone = useRef(new AbortController());
  useEffect(() => {
    const leaving = new AbortController();
    gone.current = leaving;
    return () => leaving.abort(new Error("the page was left"));
  }, []);

  function saveFiles(change: (ids: readonly string[]) => string[]): Promise<void> {
    const saved = last.current.then(async () => {
      const body = { evidence: { files: change(ids.current) } };
      const { data } = await callApi("PATCH /v1/disputes/{id}", { mode, params: { id: dispute.id }, body });
      ids.current = data.evidence.files;
      router.refresh();
    });
    last.current = saved.catch(() => {});
    return saved;
  }

  async function add(file: File, key: number) {
    const show = (share: number) => setSending((all) => all.map((one) => (one.key === key ? { ...one, share } : one)));
    try {
      const { id } = await uploadFile(file, { mode, signal: gone.current.signal, onProgress: show });
      await saveFiles((before) => [...before, id]);
      setSending((all) => all.map((one) => (one.key === key ? { ...one, id } : one)));
    } catch (error) {
      if (!gone.current.signal.aborted) setProblem(`${file.name}: ${failureText(error)}`);
      setSending((all) => all.filter((one) => one.key !== key));
    }
  }

  function choose(list: FileList | null) {
    const chosen = [...(list ?? [])];
    if (input.current) input.current.value = "";
    const room = MAX_EVIDENCE_FILES - ids.current.length - sending.filter(({ id }) => id === null).length;
    const wrong = chosen.map(fileProblem).find((one) => one !== null) ?? null;
    setProblem(chosen.length > room ? `At most ${MAX_EVIDENCE_FILES} files. Combine documents into one PDF.` : wrong);
    if (chosen.length > room || wrong !== null) return;
    const added = chosen.map((file, index) => ({ file, key: Date.now() + index }));
    setSending((all) => [...all, ...added.map(({ file, key }) => ({ key, name: file.name, share: 0, id: null }))]);
    for (const { file, key } of added) uploads.current = uploads.current.then(() => add(file, key));
  }

  async function remove(id: string) {
    setRemoving(id);
    setProblem(null);
    try {
      await saveFiles((before) => before.filter((one) => one !== id));
      setRemoved((all) => [...all, id]);
    } catch (error) {
      setProblem(failureText(error));
    } finally {
      setRemoving(null);
    }
  }

  const listed = new Set([...removed, ...files.map(({ id }) => id)]);
  const added = sending.filter(({ id }) => id === null || !listed.has(id));
  const kept = files.filter(({ id }) => !removed.includes(id));
  return {
    kept,
    added,
    count: kept.length + added.length,
    isUploading: added.some(({ id }) => id === null),
    problem,
    removing,
    choose,
    remove,
    input,
  };
}

export function EvidenceFiles({ dispute, draft }: { dispute: Dispute; draft: DraftFiles }) {
  const { mode } = useDashboard();
  const { kept, added, count, problem, removing, choose, remove, input } = draft;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-[13px] leading-5">Files</legend>
      {problem && (
        <Banner tone="red" role="alert">
          {problem}
        </Banner>
      )}
      {count > 0 && (
        <ul className="flex flex-col divide-y rounded-md border">
          {kept.map((file) => (
            <li key={file.id} className="flex min-h-11 items-center gap-2 py-1 pr-1 pl-3">
              <FileLink file={file} href={`/${mode}/disputes/${dispute.id}/files/${file.id}`} />
              <Button
                variant="ghost"
                size="sm"
                aria-label={`Remove ${file.name}`}
                pending={removing === file.id}
                icon={<X aria-hidden="true" className="size-4" />}
                onClick={() => void remove(file.id)}
              />
            </li>
          ))}
          {added.map(({ key, name, share, id }) => (
            <li key={key} className="flex min-h-11 flex-wrap items-center gap-x-3 px-3 py-2">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="text-soft text-xs tabular-nums">
                {id !== null ? "Added" : share < 1 ? `${Math.round(share * 100)} %` : "Checking…"}
              </span>
              {id === null && (
                <progress
                  value={share}
                  max={1}
                  aria-label={`Upload of ${name}`}
                  className="h-1 w-full overflow-hidden rounded accent-accent"
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button
          icon={<Paperclip aria-hidden="true" className="size-4" />}
          disabled={count >= MAX_EVIDENCE_FILES}
          onClick={() => input.current?.click()}
        >
          Add files
        </Button>
        <span className="text-soft text-xs">PDF, PNG or JPEG, up to 5 MB each.</span>
        <input
          ref={input}
          type="file"
          multiple
          accept={ACCEPTED_FILES}
          aria-label="Files to add"
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => choose(event.target.files)}
        />
      </div>
    </fieldset>
  );
}

/** A file's name with its size; a download where the viewer may have one. */
export function FileLink({ file: { name, type, size }, href }: { file: EvidenceFile; href: string | null }) {
  const Icon = type === "application/pdf" ? FileText : ImageIcon;
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2">
      <Icon aria-hidden="true" className="size-4 shrink-0 text-soft" />
      {href === null ? (
        <span className="min-w-0 break-words">{name}</span>
      ) : (
        <a href={href} download className="min-w-0 break-words text-accent hover:underline">
          {name}
        </a>
      )}
      <span className="shrink-0 text-soft text-xs tabular-nums">{sizeText(size)}</span>
    </span>
  );
}
