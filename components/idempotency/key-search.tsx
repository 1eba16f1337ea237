import { Search } from "lucide-react";
import Form from "next/form";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

/** Looks a key up. Keys are compared exactly, so nothing is searched while typing. */
export function KeySearch({ path, value }: { path: string; value: string }) {
  return (
    <search>
      <Form action={path} className="mb-4 flex max-w-2xl items-end gap-2">
        <div className="min-w-0 flex-1">
          <label htmlFor="idempotency-key" className="mb-1 block font-medium text-[13px]">
            Find a key
          </label>
          <Input
            key={value}
            id="idempotency-key"
            name="key"
            defaultValue={value}
            required
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            placeholder="The exact X-Idempotency-Key"
            className="font-mono"
          />
        </div>
        <Button type="submit" icon={<Search aria-hidden="true" />}>
          Inspect
        </Button>
      </Form>
    </search>
  );
}
