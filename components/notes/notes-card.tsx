"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Select } from "@/components/ui/field";
import { Form, FormDialog, TextareaField } from "@/components/ui/form";
import { Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { callApi, failureText } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import { useForm } from "@/lib/client/use-form";
import type { Note } from "@/lib/contract/notes/notes";

/** The team's notes on a payment, customer or dispute. */
export function NotesCard({ subjectId }: { subjectId: string }) {
  const { mode, can } = useDashboard();
  const notes = useNotes(subjectId, mode);
  const canWrite = can("note.write");
  return (
    <Card title="Notes" description="Only your team sees them.">
      <NoteList notes={notes} canWrite={canWrite} />
      {canWrite && notes.data && <NewNote notes={notes} colleagues={notes.data.colleagues} />}
    </Card>
  );
}

type Notes = ReturnType<typeof useNotes>;

function useNotes(subjectId: string, mode: string) {
  const queries = useQueryClient();
  const queryKey = ["notes", mode, subjectId];
  const { data, error, refetch, isFetching } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (
        await callApi("GET /api/dashboard/{mode}/notes", {
          params: { mode },
          query: { subject_id: subjectId },
          signal,
        })
      ).data,
    staleTime: 30_000,
  });
  const reload = () => queries.invalidateQueries({ queryKey });
  return {
    data,
    error,
    refetch,
    isFetching,
    create: async (text: string) => {
      await callApi("POST /api/dashboard/{mode}/notes", {
        params: { mode },
        body: { subject_id: subjectId, text },
      });
      await reload();
    },
    update: async (id: string, text: string) => {
      await callApi("PATCH /api/dashboard/{mode}/notes/{id}", { params: { mode, id }, body: { text } });
      await reload();
    },
    remove: async (id: string) => {
      await callApi("DELETE /api/dashboard/{mode}/notes/{id}", { params: { mode, id } });
      await reload();
    },
  };
}

function NoteList({ notes, canWrite }: { notes: Notes; canWrite: boolean }) {
  const [open, setOpen] = useState<{ kind: "edit" | "delete"; note: Note } | null>(null);
  const { data, error, refetch, isFetching } = notes;
  if (!data) {
    if (!error) return <Skeleton className="h-10" />;
    return (
      <div role="alert" className="flex flex-wrap items-center gap-2">
        <p className="text-red">The notes did not load. {failureText(error)}</p>
        <Button size="sm" onClick={() => void refetch()} pending={isFetching}>
          Try again
        </Button>
      </div>
    );
  }
  if (data.data.length === 0) return canWrite ? null : <p className="text-soft">No notes yet.</p>;
  const close = () => setOpen(null);
  return (
    <>
      <ul aria-label="Notes" className="-mt-1 divide-y">
        {data.data.map((note) => (
          <li key={note.id} className="py-2.5 first:pt-1">
            <p className="flex flex-wrap items-center gap-x-2 text-soft text-xs">
              <span className="font-medium text-ink">{note.author}</span>
              <Time at={note.created_at} />
              {note.edited_at !== null && <span>edited</span>}
              {note.mine && canWrite && (
                <span className="ml-auto flex">
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label="Edit note"
                    icon={<Pencil aria-hidden="true" />}
                    onClick={() => setOpen({ kind: "edit", note })}
                  />
                  <Button
                    size="sm"
                    variant="ghost"
                    aria-label="Delete note"
                    icon={<Trash2 aria-hidden="true" />}
                    onClick={() => setOpen({ kind: "delete", note })}
                  />
                </span>
              )}
            </p>
            <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{note.text}</p>
          </li>
        ))}
      </ul>
      {open?.kind === "edit" && (
        <EditDialog note={open.note} notes={notes} colleagues={data.colleagues} onClose={close} />
      )}
      {open?.kind === "delete" && <DeleteDialog note={open.note} notes={notes} onClose={close} />}
    </>
  );
}

function NewNote({ notes, colleagues }: { notes: Notes; colleagues: readonly string[] }) {
  const form = useForm({ text: "" });

  async function add() {
    await notes.create(form.values.text);
    form.keep({ text: "" });
  }

  return (
    <Form form={form} onSubmit={add} guarded className="mt-1 flex min-w-0 flex-col gap-2">
      <NoteField form={form} colleagues={colleagues} />
      <Button
        type="submit"
        size="sm"
        pending={form.pending}
        disabled={form.values.text.trim() === ""}
        className="self-start"
      >
        Add note
      </Button>
    </Form>
  );
}

type NoteFieldProps = { form: ReturnType<typeof useForm<{ text: string }>>; colleagues: readonly string[] };

function NoteField({ form, colleagues }: NoteFieldProps) {
  const { text } = form.values;
  return (
    <>
      <TextareaField
        label="Note"
        hideLabel
        rows={2}
        maxLength={2_000}
        placeholder="Write a note"
        {...form.field("text")}
      />
      {colleagues.length > 0 && (
        <Select
          aria-label="Mention a colleague"
          value=""
          onChange={({ target }) => form.set({ text: `${text}${/(?:^|\s)$/.test(text) ? "" : " "}@${target.value} ` })}
          className="w-auto max-w-full self-start"
        >
          <option value="">Mention a colleague by e-mail…</option>
          {[...new Set(colleagues)].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </>
  );
}

type NoteDialogProps = { note: Note; notes: Notes; onClose: () => void };

function EditDialog({ note, notes, colleagues, onClose }: NoteDialogProps & { colleagues: readonly string[] }) {
  const form = useForm({ text: note.text });

  async function save() {
    await notes.update(note.id, form.values.text);
    onClose();
  }

  return (
    <FormDialog
      form={form}
      title="Edit note"
      submitLabel="Save"
      disabled={form.values.text.trim() === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <NoteField form={form} colleagues={colleagues} />
    </FormDialog>
  );
}

function DeleteDialog({ note, notes, onClose }: NoteDialogProps) {
  const form = useForm({});

  async function remove() {
    await notes.remove(note.id);
    onClose();
  }

  return (
    <FormDialog
      size="sm"
      form={form}
      title="Delete this note?"
      description="It is deleted for the whole team."
      submitLabel="Delete note"
      danger
      focus="cancel"
      onSubmit={remove}
      onClose={onClose}
    />
  );
}
