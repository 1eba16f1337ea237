"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Field, Input } from "@/components/ui/field";
import { ApiError } from "@/lib/client/api";
import type { SavedView } from "@/lib/contract/transactions/saved-views";

const messageOf = (error: unknown) =>
  error instanceof ApiError
    ? (error.errors[0]?.message ?? error.detail)
    : "No answer came. Check your connection and try again.";

type ViewDialogProps = {
  /** The one to rename; null to save a new one. */
  view: SavedView | null;
  /** Viewers keep views for themselves. */
  canShare: boolean;
  onSave: (view: { name: string; shared: boolean }) => Promise<void>;
  onClose: () => void;
};

/** Names a view, and says who sees it. */
export function ViewDialog({ view, canShare, onSave, onClose }: ViewDialogProps) {
  const [name, setName] = useState(view?.name ?? "");
  const [shared, setShared] = useState(view?.shared ?? false);
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);

  const save = async () => {
    if (name.trim() === "") return setError("Give the view a name.");
    setPending(true);
    setError(null);
    try {
      await onSave({ name: name.trim(), shared });
      onClose();
    } catch (thrown) {
      setError(messageOf(thrown));
      setPending(false);
    }
  };

  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        size="sm"
        title={view ? "Rename view" : "Save view"}
        description={view ? undefined : "Keeps the filters, the sort and the columns as they are now."}
        footer={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form="view-form" variant="primary" pending={pending}>
              Save view
            </Button>
          </>
        }
      >
        <form
          id="view-form"
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (!pending) void save();
          }}
        >
          <Field label="Name" error={error}>
            {(field) => (
              <Input
                {...field}
                data-autofocus
                maxLength={60}
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          {canShare && (
            <Checkbox
              label="Share with the team"
              description="Everyone in your team can see it; only you can change it."
              checked={shared}
              onChange={(event) => setShared(event.target.checked)}
            />
          )}
        </form>
      </DialogContent>
    </Dialog>
  );
}

type DeleteViewDialogProps = {
  view: SavedView;
  onDelete: (view: SavedView) => Promise<void>;
  onClose: () => void;
};

export function DeleteViewDialog({ view, onDelete, onClose }: DeleteViewDialogProps) {
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const remove = async () => {
    setPending(true);
    try {
      await onDelete(view);
      onClose();
    } catch (thrown) {
      setError(messageOf(thrown));
      setPending(false);
    }
  };
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        size="sm"
        title={`Delete “${view.name}”?`}
        description={view.shared ? "It goes away for your whole team." : "No transaction is touched."}
        footer={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="danger" pending={pending} onClick={remove}>
              Delete view
            </Button>
          </>
        }
      >
        {error && (
          <p role="alert" className="text-red">
            {error}
          </p>
        )}
      </DialogContent>
    </Dialog>
  );
}
