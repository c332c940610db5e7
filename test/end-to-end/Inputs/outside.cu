// A part of sync_host_code.cu that is compiled separately.
int fifth(const int *Values) { return Values ? Values[4] : 0; }
