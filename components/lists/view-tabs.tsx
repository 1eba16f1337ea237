"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark, ChevronDown, Users } from "lucide-react";
import dynamic from "next/dynamic";
import { type MouseEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from "@/components/ui/menu";
import { missingPart } from "@/components/ui/missing-part";
import { cn } from "@/components/ui/styles";
import { toast } from "@/components/ui/toast";
import { ApiError, callApi } from "@/lib/client/api";
import { useDashboard } from "@/lib/client/dashboard-context";
import type { SavedView, SavedViewList } from "@/lib/contract/lists/saved-views";

const ViewDialog = dynamic(() => import("./view-dialog").then((module) => module.ViewDialog, missingPart));
const DeleteViewDialog = dynamic(() => import("./view-dialog").then((module) => module.DeleteViewDialog, missingPart));

/** A view of every merchant; `query` is a list's address without a question mark. */
export type BuiltInView = { name: string; query: string };

/** Built-in views by name, each with what it changes of the list's first page. */
export const builtInViews = <Query extends object>(
  first: Query,
  format: (query: Query) => string,
  views: Readonly<Record<string, Partial<Query>>>,
): BuiltInView[] => Object.entries(views).map(([name, query]) => ({ name, query: format({ ...first, ...query }) }));

type ViewTabsProps = {
  /** Address of the list. */
  path: string;
  /** "transactions" */
  what: string;
  builtIn: readonly BuiltInView[];
  /** The current query, as stored in a view: without its page. */
  now: string;
  saved: ReturnType<typeof useSavedViews>;
  /** Saved view of the current page. */
  active: SavedView | null;
  /** Columns changed since the view was loaded. */
  columnsChanged?: boolean;
  /** Null if the list has fixed columns. */
  columns: readonly string[] | null;
  onView: (query: string, view: string | null) => void;
};

type OpenDialog = { kind: "save" | "rename" | "delete"; view: SavedView | null };

/** Saved lists: the default, the user's own and the team's. */
export function ViewTabs(props: ViewTabsProps) {
  const { path, what, builtIn, now, saved, active, columnsChanged = false, columns, onView } = props;
  const canShare = useDashboard().can("saved_view.share");
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const edited = active !== null && (active.query !== now || columnsChanged);
  const isBuiltIn = builtIn.some((view) => view.query === now);

  const report = async (work: Promise<unknown>, done: string) => {
    try {
      await work;
      toast.success(done);
    } catch (error) {
      toast.error(error instanceof ApiError ? error.detail : "No response arrived. Try again.");
    }
  };
  const link = (text: string, id: string | null) => ({
    href: `${path}${[text, id && `view=${id}`]
      .filter(Boolean)
      .join("&")
      .replace(/^(?=.)/, "?")}`,
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onView(text, id);
    },
  });

  return (
    <div className="flex items-end gap-2 border-b print:hidden">
      <nav aria-label="Views" className="tab-bar min-w-0 flex-1 border-b-0">
        {builtIn.map((view) => (
          <a
            key={view.name}
            className="tab"
            aria-current={!active && view.query === now ? "page" : undefined}
            {...link(view.query, null)}
          >
            {view.name}
          </a>
        ))}
        {saved.views.map((view) => (
          <a
            key={view.id}
            className="tab"
            aria-current={view.id === active?.id ? "page" : undefined}
            title={view.mine ? undefined : `Shared by ${view.owner}`}
            {...link(view.query, view.id)}
          >
            {view.shared && <Users aria-hidden="true" className="size-3.5 text-soft" />}
            {view.name}
            {view.shared && <span className="sr-only">shared</span>}
            {view.id === active?.id && edited && <span className="font-normal text-soft">edited</span>}
          </a>
        ))}
        {saved.error && (
          <button type="button" className="tab text-red" onClick={() => saved.refetch()}>
            Saved views did not load. Try again
          </button>
        )}
      </nav>
      {active?.mine && (
        <Menu>
          <MenuTrigger asChild>
            <Button size="sm" variant="ghost" className={cn("mb-1", edited && "text-accent")}>
              View
              <ChevronDown aria-hidden="true" />
            </Button>
          </MenuTrigger>
          <MenuContent align="end" label={`View ${active.name}`}>
            <MenuItem
              disabled={!edited}
              onSelect={() =>
                report(saved.update(active.id, { query: now, columns: columns && [...columns] }), "View saved.")
              }
            >
              Save changes
            </MenuItem>
            <MenuItem onSelect={() => setDialog({ kind: "rename", view: active })}>Rename…</MenuItem>
            <MenuItem
              disabled={!canShare && !active.shared}
              onSelect={() =>
                report(
                  saved.update(active.id, { shared: !active.shared }),
                  active.shared ? "Only you see this view now." : "Your team sees this view now.",
                )
              }
            >
              {active.shared ? "Stop sharing" : "Share with the team"}
            </MenuItem>
            <MenuItem onSelect={() => setDialog({ kind: "save", view: null })}>Save as a new view…</MenuItem>
            <MenuSeparator />
            <MenuItem danger onSelect={() => setDialog({ kind: "delete", view: active })}>
              Delete…
            </MenuItem>
          </MenuContent>
        </Menu>
      )}
      {!active?.mine && (!isBuiltIn || active !== null) && (
        <Button
          size="sm"
          variant="ghost"
          className="mb-1"
          icon={<Bookmark aria-hidden="true" />}
          onClick={() => setDialog({ kind: "save", view: null })}
        >
          Save view
        </Button>
      )}
      {dialog?.kind === "delete" && dialog.view && (
        <DeleteViewDialog
          view={dialog.view}
          what={what}
          onClose={() => setDialog(null)}
          onDelete={async (view) => {
            await saved.remove(view.id);
            onView("", null);
          }}
        />
      )}
      {dialog !== null && dialog.kind !== "delete" && (
        <ViewDialog
          view={dialog.view}
          canShare={canShare}
          onClose={() => setDialog(null)}
          onSave={async ({ name, shared }) => {
            if (dialog.view) return await saved.update(dialog.view.id, { name, shared });
            const created = await saved.create({ name, shared, query: now, columns: columns && [...columns] });
            onView(now, created.id);
          }}
        />
      )}
    </div>
  );
}

const NONE: readonly SavedView[] = [];

type ViewChanges = { name?: string; query?: string; columns?: string[] | null; shared?: boolean };

/** A list's saved views visible to the user, loaded after the page so that it doesn't wait for them. */
export function useSavedViews(list: SavedViewList) {
  const { mode } = useDashboard();
  const queries = useQueryClient();
  const queryKey = ["saved-views", mode, list];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await callApi("GET /api/dashboard/{mode}/saved-views", { params: { mode }, query: { list }, signal })).data.data,
    staleTime: 60_000,
  });
  const reload = () => queries.invalidateQueries({ queryKey });

  return {
    views: data ?? NONE,
    error,
    refetch,
    create: async (view: { name: string; query: string; columns: string[] | null; shared: boolean }) => {
      const { data: created } = await callApi("POST /api/dashboard/{mode}/saved-views", {
        params: { mode },
        body: { ...view, list },
      });
      await reload();
      return created;
    },
    update: async (id: string, changes: ViewChanges) => {
      await callApi("PATCH /api/dashboard/{mode}/saved-views/{id}", { params: { mode, id }, body: changes });
      await reload();
    },
    remove: async (id: string) => {
      await callApi("DELETE /api/dashboard/{mode}/saved-views/{id}", { params: { mode, id } });
      await reload();
    },
  };
}
