"use client";

import { Checkbox } from "@/components/ui/checkbox";
import { FormDialog, TextField } from "@/components/ui/form";
import { useForm } from "@/lib/client/use-form";
import type { SavedView } from "@/lib/contract/lists/saved-views";

type ViewDialogProps = {
  /** The view to rename; null to save a new one. */
  view: SavedView | null;
  /** Viewers may only save private views. */
  canShare: boolean;
  onSave: (view: { name: string; shared: boolean }) => Promise<void>;
  onClose: () => void;
};

/** Sets a view's name and who can see it. */
export function ViewDialog({ view, canShare, onSave, onClose }: ViewDialogProps) {
  const form = useForm(
    { name: view?.name ?? "", shared: view?.shared ?? false },
    { check: ({ name }) => ({ name: name.trim() === "" ? "Enter a name for the view." : undefined }) },
  );
  const { name, shared } = form.values;

  async function save() {
    await onSave({ name: name.trim(), shared });
    onClose();
  }

  return (
    <FormDialog
      size="sm"
      title={view ? "Rename view" : "Save view"}
      description={view ? undefined : "Saves the current filters, sort order and columns."}
      submitLabel="Save view"
      form={form}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label="Name" {...form.field("name")} maxLength={60} autoComplete="off" />
      {canShare && (
        <Checkbox
          label="Share with the team"
          description="Everyone in your team can see it; only you can change it."
          checked={shared}
          onChange={({ target }) => form.set({ shared: target.checked })}
        />
      )}
    </FormDialog>
  );
}

type DeleteViewDialogProps = {
  view: SavedView;
  /** "transactions" */
  what: string;
  onDelete: (view: SavedView) => Promise<void>;
  onClose: () => void;
};

export function DeleteViewDialog({ view, what, onDelete, onClose }: DeleteViewDialogProps) {
  const form = useForm({});

  async function remove() {
    await onDelete(view);
    onClose();
  }

  return (
    <FormDialog
      size="sm"
      title={`Delete “${view.name}”?`}
      description={view.shared ? "It is deleted for the whole team." : `Your ${what} are not affected.`}
      submitLabel="Delete view"
      danger
      form={form}
      onSubmit={remove}
      onClose={onClose}
    />
  );
}
