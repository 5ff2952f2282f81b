package httpapi

import (
	"brokerage/internal/brokerage"
)

func (s *Server) getOrder(q *request) error {
	id, err := q.key("order")
	return read(q, id, err, s.store.GetOrder, q.document)
}

func (s *Server) insertOrder(q *request) error {
	doc, err := q.body()
	if err != nil {
		return err
	}
	return q.insert(doc, "/v1/orders/", func(w brokerage.Write) (brokerage.ID, error) { return s.store.InsertOrder(q.ctx, w, doc) })
}

func (s *Server) updateOrderStatus(q *request) error {
	id, err := q.key("order")
	return change(q, id, err, brokerage.ReadOrderStatus, s.store.UpdateOrderStatus)
}

func (s *Server) deleteOrder(q *request) error { return q.remove("order", s.store.DeleteOrder) }
