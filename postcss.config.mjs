// biome-ignore lint/style/noDefaultExport: the form PostCSS asks for
export default { plugins: { "@tailwindcss/postcss": {} } };
