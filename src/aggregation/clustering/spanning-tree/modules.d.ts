/** How the Worker's bundler gives a WebAssembly file: compiled, as workerd compiles no bytes at run time. */
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
