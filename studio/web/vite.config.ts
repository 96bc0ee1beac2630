import { defineConfig } from "vite";

// The page is served below /studio/ by the Python package, which also holds what is built here.
export default defineConfig({
  base: "/studio/",
  build: {
    outDir: "../portico_studio/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
  },
  worker: { format: "es" },
});
