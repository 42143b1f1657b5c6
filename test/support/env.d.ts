/** What only tests bind. */
declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    ENVIRONMENT: string;
    ADMIN_SECRET: string;
    SECRETS_KEYS: string;
  }
}
