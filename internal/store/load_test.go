package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// memory is a store of orders. A transaction is a copy, which a commit makes current.
type memory struct {
	settings map[string]string
	orders   map[tpox.ID]string
	lease    tpox.ID
}

func (m *memory) copied() *memory {
	return &memory{maps.Clone(m.settings), maps.Clone(m.orders), m.lease}
}

func (m *memory) set(name string, value any) error {
	b, err := json.Marshal(value)
	m.settings[name] = string(b)
	return err
}

func (m *memory) write(_ context.Context, do func(*memory) error) error {
	tx := m.copied()
	if err := do(tx); err != nil {
		return err
	}
	*m = *tx
	return nil
}

var errExists = errors.New("exists already")

func (m *memory) insert(documents []store.PreparedDocument) error {
	for i := range documents {
		d := &documents[i]
		keys, is := d.Keys.(tpox.OrderKeys)
		switch _, exists := m.orders[keys.ID]; {
		case d.Refused != nil:
		case !is:
			return fmt.Errorf("keys of type %T", d.Keys)
		case exists:
			d.Refused = errExists
		default:
			m.orders[keys.ID] = string(d.Doc)
		}
	}
	return nil
}

func (m *memory) raise() error {
	for id := range m.orders {
		m.lease = max(m.lease, id+1)
	}
	return nil
}

func (m *memory) loader() *store.Loader[*memory] {
	r := &store.LoadRecord{Text: func(_ context.Context, name string) (string, error) { return m.settings[name], nil }}
	return &store.Loader[*memory]{
		Record: r,
		Frame: func(ctx context.Context, name string, load func() error, end func(*memory) error) error {
			if err := m.set(store.SettingLoading, name); err != nil {
				return err
			}
			if err := load(); err != nil {
				return err
			}
			return m.write(ctx, func(tx *memory) error {
				delete(tx.settings, store.SettingLoading)
				return end(tx)
			})
		},
		Packing: store.Packing{
			Keys: store.KeysOf,
			Pack: func(_ dataset.Kind, doc []byte) []byte { return []byte(strings.ToUpper(string(doc))) },
		},
		Write:       m.write,
		Insert:      (*memory).insert,
		RaiseLeases: (*memory).raise,
		Set:         (*memory).set,
	}
}

func newMemory() *memory {
	return &memory{settings: map[string]string{}, orders: map[tpox.ID]string{}}
}

func order(id int) string {
	return fmt.Sprintf(`<FIXML xmlns=%q><Order ID="%d" Acct="1"></Order></FIXML>`, tpox.FIXMLNS, id)
}

// orders returns a source of documents in batches of two.
func orders(refused *[]string, docs ...string) store.Source {
	var all [][]byte
	for _, doc := range docs {
		all = append(all, []byte(doc))
	}
	return storetest.Source("files", 2, refused, all...)
}

func TestLoader(t *testing.T) {
	var refusals []string
	m, from := newMemory(), orders(&refusals, order(1), order(2), order(2), order(3), order(4))
	var documents, bytes int64
	l, err := m.loader().Load(
		t.Context(), from, func(n int, size int64) { documents, bytes = documents+int64(n), bytes+size },
	)
	require.NoError(t, err)
	require.Equal(t, []string{"file-1:1: exists already"}, refusals)
	require.Equal(t, store.Loaded{
		Source: "files", Refused: 1, Documents: [...]int64{dataset.Order: 4},
		Raw: [...]int64{dataset.Order: int64(4 * len(order(1)))}, // in the normal form, and not as packed
	}, l)
	require.Equal(t, [2]int64{5, int64(5 * len(order(1)))}, [2]int64{documents, bytes})
	require.Equal(t, strings.ToUpper(order(1)), m.orders[1])
	require.Equal(t, tpox.ID(5), m.lease)
	kept, err := m.loader().Record.LoadedFrom(t.Context())
	require.NoError(t, err)
	require.Equal(t, l, kept)
	require.NotContains(t, m.settings, store.SettingLoading)

	again, err := m.loader().Load(t.Context(), from, func(int, int64) { t.Error("something was loaded again") })
	require.NoError(t, err)
	require.Equal(t, l, again)
	from.Name = "others"
	_, err = m.loader().Load(t.Context(), from, nil)
	require.ErrorContains(t, err, "the database holds files/0-0-4 already")
}

// The second attempt of a transaction counts documents and refusals from the beginning.
func TestLoader_Retried(t *testing.T) {
	var refusals []string
	m := newMemory()
	loader := m.loader()
	loader.Write = func(ctx context.Context, do func(*memory) error) error {
		first := m.copied()
		first.orders[2] = "another's, which is taken back"
		if err := do(first); err != nil {
			return err
		}
		return m.write(ctx, do)
	}
	l, err := loader.Load(t.Context(), orders(&refusals, order(1), order(2), "no XML"), nil)
	require.NoError(t, err)
	require.Equal(t, int64(2), l.Documents[dataset.Order])
	require.Equal(t, int64(1), l.Refused)
	require.Contains(t, m.orders, tpox.ID(2))
	require.Len(t, refusals, 3, "what the first try reported as well: %s", strings.Join(refusals, "\n"))
}

// After a load that failed, what it has loaded stays, and another load is refused.
func TestLoader_Fails(t *testing.T) {
	var refusals []string
	all := []string{order(1), order(2), order(3), order(4), order(5)}
	for name, stop := range map[string]func(*store.Loader[*memory], *store.Source) error{
		"Refused": func(_ *store.Loader[*memory], from *store.Source) error {
			*from = orders(&refusals, append([]string{order(1), order(2), "no XML"}, all[3:]...)...)
			stopped := errors.New("stopped")
			from.Refused = func(string, int, error) error { return stopped }
			return stopped
		},
		"Insert": func(l *store.Loader[*memory], _ *store.Source) error {
			full := errors.New("no room")
			l.Insert = func(m *memory, documents []store.PreparedDocument) error {
				if err := m.insert(documents); err != nil || len(m.orders) <= 2 {
					return err
				}
				return full
			}
			return full
		},
		"Source": func(_ *store.Loader[*memory], from *store.Source) error {
			batches, gone := from.Batches, errors.New("gone")
			from.Batches = func(yield func(store.RawBatch, error) bool) {
				for b, err := range batches {
					_ = yield(b, err) && yield(store.RawBatch{}, gone)
					return
				}
			}
			return gone
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, from := newMemory(), orders(&refusals, all...)
			loader := m.loader()
			want := stop(loader, &from)
			l, err := loader.Load(t.Context(), from, nil)
			require.ErrorIs(t, err, want)
			require.Equal(t, int64(2), l.Documents[dataset.Order], "the first batch is there")
			require.Len(t, m.orders, 2)
			require.Zero(t, m.lease)
			require.Error(t, loader.Record.Ready(t.Context()))
			_, err = m.loader().Load(t.Context(), orders(&refusals, all...), nil)
			require.ErrorContains(t, err, "the load of files was not finished")
			require.Len(t, m.orders, 2)
			require.Empty(t, refusals)
		})
	}
}

// A load whose last transaction fails stays unfinished.
func TestLoader_EndFails(t *testing.T) {
	var refusals []string
	m := newMemory()
	loader, lost := m.loader(), errors.New("lost")
	loader.RaiseLeases = func(*memory) error { return lost }
	_, err := loader.Load(t.Context(), orders(&refusals, order(1)), nil)
	require.ErrorIs(t, err, lost)
	require.Contains(t, m.settings, store.SettingLoading)
	require.NotContains(t, m.settings, store.SettingContents)
}

// Documents are stored in the normal form, whatever their encoding, and are validated on request.
func TestLoader_Admits(t *testing.T) {
	latin := `<?xml version='1.0' encoding='ISO-8859-1'?>` + strings.Replace(order(1), ` Acct`, " Txt='\xE9' Acct", 1)
	for validate, refused := range map[bool]int64{false: 0, true: 1} {
		var refusals []string
		m := newMemory()
		from := orders(&refusals, latin)
		from.Validate = validate
		l, err := m.loader().Load(t.Context(), from, nil)
		require.NoError(t, err)
		require.Equal(t, refused, l.Refused, "%s", refusals)
		if !validate {
			require.Equal(t, strings.ToUpper(strings.Replace(order(1), ` Acct`, ` Txt="é" Acct`, 1)), m.orders[1])
		}
	}
}
