import { defineConfig } from "vite";

// The Python package serves the page below /studio/, and contains the built files.
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
