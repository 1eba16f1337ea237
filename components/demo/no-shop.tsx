import Link from "next/link";

/** Where there is no demo merchant there is nobody to sell anything. */
export function NoShop() {
  return (
    <div className="mx-auto max-w-xl py-16 sm:py-24">
      <p className="shop-label">404</p>
      <h1 className="shop-display mt-3 text-4xl">The sample shop is closed here</h1>
      <p className="mt-5 text-base text-soft">
        It sells in the name of the demo merchant, which <code className="tick">npm start</code> makes in an empty
        database. This database has merchants of its own, or the pages run without{" "}
        <code className="tick">npm start</code>.
      </p>
      <p className="mt-3 text-base text-soft">
        To see the shop, start a copy with an empty data folder:{" "}
        <code className="tick">DATA_DIR=.data-demo PORT=3001 npm start</code>
      </p>
      <p className="mt-8 flex flex-wrap gap-3">
        <Link href="/docs/quickstart" className="shop-buy">
          Build your own in five steps
        </Link>
        <Link href="/" className="shop-buy shop-quiet">
          Home
        </Link>
      </p>
    </div>
  );
}
