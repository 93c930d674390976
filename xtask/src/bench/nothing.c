/* What the hook's start is measured against. */
int main(void) { return 0; }
