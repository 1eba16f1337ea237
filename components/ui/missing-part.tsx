import { Button } from "./button";

/**
 * Takes the place of a separately loaded part whose script didn't arrive, so that the rest of the page stays.
 */
function MissingPart() {
  return (
    <div
      role="alert"
      className="floating inset-x-4 bottom-4 z-50 mx-auto flex w-fit items-center gap-3 px-4 py-2 text-[13px]"
    >
      Part of this page couldn’t be loaded. Check your connection.
      <Button size="sm" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </div>
  );
}

/** Handles the rejection of a part's import. `never` lets the import keep the part's own type. */
export const missingPart = () => MissingPart as never;
